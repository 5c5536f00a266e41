using Workerd = import "/workerd/workerd.capnp";

# One machine: the namespaces are stored in the folder worlds.
const single :Workerd.Config = (
  services = [ (name = "petstore", worker = .petstore), .inspector, .worlds, .internet ],
  sockets = [ .http ],
);

# Several machines: the namespaces are stored in a bucket, and each one is served by one machine at a time.
const cluster :Workerd.Config = (
  services = [ (name = "petstore", worker = .petstore), .inspector, .worlds, .internet ],
  sockets = [ .http ],
  # AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are the settings of the bucket.
  cluster = (bucket = "s3://petstore/worlds", address = "127.0.0.1:7000", key = embed "cluster.key"),
);

const http :Workerd.Socket = (name = "http", address = "127.0.0.1:4010", http = (), service = "petstore");
const inspector :Workerd.Service = (name = "inspector", disk = (path = "inspector"));
const worlds :Workerd.Service = (name = "worlds", disk = (path = "worlds", writable = true));
# The Worker sends only spans, to OTEL_EXPORTER_OTLP_ENDPOINT.
const internet :Workerd.Service = (
  name = "internet",
  network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true)),
);

const petstore :Workerd.Worker = (
  modules = [ (name = "worker.js", esModule = embed "worker.js") ],
  compatibilityDate = "2026-10-01",
  durableObjectNamespaces = [ (className = "World", uniqueKey = "petstore-world", enableSql = true) ],
  durableObjectStorage = (localDisk = "worlds"),
  bindings = [
    (name = "WORLD", durableObjectNamespace = "World"),
    (name = "ASSETS", service = "inspector"),
    (name = "PETSTORE_SANDBOX_CONTROL_TOKEN", fromEnvironment = "PETSTORE_SANDBOX_CONTROL_TOKEN"),
    (name = "PETSTORE_SANDBOX_PUBLIC", fromEnvironment = "PETSTORE_SANDBOX_PUBLIC"),
    (name = "PETSTORE_SANDBOX_SET", fromEnvironment = "PETSTORE_SANDBOX_SET"),
    (name = "PETSTORE_SANDBOX_LIMITS", fromEnvironment = "PETSTORE_SANDBOX_LIMITS"),
    (name = "PETSTORE_SANDBOX_FIXTURE", fromEnvironment = "PETSTORE_SANDBOX_FIXTURE"),
    (name = "PETSTORE_SANDBOX_LATENCY", fromEnvironment = "PETSTORE_SANDBOX_LATENCY"),
    (name = "PETSTORE_SANDBOX_MAX_STATE", fromEnvironment = "PETSTORE_SANDBOX_MAX_STATE"),
    (name = "PETSTORE_SANDBOX_EXPIRE", fromEnvironment = "PETSTORE_SANDBOX_EXPIRE"),
    (name = "PETSTORE_SANDBOX_SEED", fromEnvironment = "PETSTORE_SANDBOX_SEED"),
    (name = "PETSTORE_SANDBOX_NOW", fromEnvironment = "PETSTORE_SANDBOX_NOW"),
    (name = "PETSTORE_SANDBOX_FREEZE", fromEnvironment = "PETSTORE_SANDBOX_FREEZE"),
    (name = "PETSTORE_SANDBOX_STRICT", fromEnvironment = "PETSTORE_SANDBOX_STRICT"),
    (name = "PETSTORE_SANDBOX_CONTROL_ORIGIN", fromEnvironment = "PETSTORE_SANDBOX_CONTROL_ORIGIN"),
    (name = "PETSTORE_SANDBOX_KEEP_KEYS", fromEnvironment = "PETSTORE_SANDBOX_KEEP_KEYS"),
    (name = "OTEL_EXPORTER_OTLP_ENDPOINT", fromEnvironment = "OTEL_EXPORTER_OTLP_ENDPOINT"),
    (name = "OTEL_EXPORTER_OTLP_HEADERS", fromEnvironment = "OTEL_EXPORTER_OTLP_HEADERS"),
    (name = "OTEL_SERVICE_NAME", fromEnvironment = "OTEL_SERVICE_NAME"),
    (name = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", fromEnvironment = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
    (name = "OTEL_EXPORTER_OTLP_TRACES_HEADERS", fromEnvironment = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
    (name = "OTEL_EXPORTER_OTLP_TIMEOUT", fromEnvironment = "OTEL_EXPORTER_OTLP_TIMEOUT"),
    (name = "OTEL_RESOURCE_ATTRIBUTES", fromEnvironment = "OTEL_RESOURCE_ATTRIBUTES"),
    (name = "OTEL_SDK_DISABLED", fromEnvironment = "OTEL_SDK_DISABLED"),
    (name = "OTEL_TRACES_EXPORTER", fromEnvironment = "OTEL_TRACES_EXPORTER"),
    (name = "OTEL_BSP_SCHEDULE_DELAY", fromEnvironment = "OTEL_BSP_SCHEDULE_DELAY"),
  ],
);
