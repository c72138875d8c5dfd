package io.bellwether.feed;

import static io.bellwether.feed.Text.words;

/** The words policies are made of. Changing one changes every digest of every seed: see the golden test. */
final class Vocabulary {
    static final byte[][] TENANTS = words("acme", "borealis", "cobalt", "dunes", "eastgate", "fjord", "granite",
            "harbor",
            "indigo", "juniper", "kestrel", "lumen", "meridian", "northwind", "orchard", "münchen-süd", "quarry",
            "ridge",
            "saffron", "tundra", "umbra", "vertex", "willow", "東京", "yonder", "zephyr");
    static final byte[][] SERVICES = words("billing", "payments", "invoices", "ledger", "orders", "catalog", "search",
            "storage", "compute", "network", "identity", "audit", "reports", "metrics", "queue", "registry", "deploy",
            "secrets", "mail", "support");
    static final byte[][] KINDS = words("role", "group", "user", "service", "policy");
    static final byte[][] PERSONS = words("reader", "writer", "operator", "owner", "auditor", "approver", "deployer",
            "analyst", "on-call", "contractor", "break-glass", "ci-runner");
    static final byte[][] RESOURCES = words("document", "account", "bucket", "object", "instance", "volume", "subnet",
            "topic", "table", "dataset", "pipeline", "cluster", "key", "certificate", "alarm", "dashboard");
    static final byte[][] VERBS = words("Get", "List", "Describe", "Create", "Update", "Delete", "Tag", "Untag",
            "Start",
            "Stop", "Attach", "Detach", "Approve", "Export", "Import", "Rotate");
    static final byte[][] REGIONS = words("eu-central-1", "eu-west-1", "eu-north-1", "us-east-1", "us-west-2",
            "ap-south-1", "ap-northeast-1", "sa-east-1");
    static final byte[][] TEAMS = words("platform", "payments", "core-data", "growth", "trust", "edge", "mobile",
            "infrastructure", "finance-systems", "identity");
    static final byte[][] NOTES = words("Grants day to day access for the team.", "Read access for reporting.",
            "Temporary access during the migration; review monthly.", "Granted by request, expires with the project.",
            "Least privilege for the nightly export.", "Used by automation only.",
            "Emergency access, every use is reviewed.", "Zugriff für die Nachtläufe, geprüft durch die Revision.",
            "監査チームによる読み取り専用アクセス。", "Accès réservé à l’équipe « facturation ».");
    /** JSON escapes as a careless producer writes them; they have to reach a reader unchanged. */
    static final byte[][] ODD_NOTES = words("Says \\\"do not edit\\\" in the console.", "Path C:\\\\exports\\\\daily.",
            "First line.\\nSecond line.", "Caf\\u00e9 till, \\u2603 and \\ud83d\\udd11.", "and\\/or",
            "NUL \\u0000 inside.",
            "raw \u007f and \u2028 are legal in JSON", "🔑 for the vault");
    static final byte[][] TAGS = words("cost-center", "stage", "data-class", "reviewed", "ticket");
    static final byte[][] STAGES = words("prod", "staging", "dev", "sandbox");

    private Vocabulary() {}
}
