# The sandbox in a container: docker build -t petstore-sandbox .
ARG BASE=docker.io/library/node:22-slim

FROM ${BASE} AS build
WORKDIR /build
COPY . .
# npm pack builds the program and creates the published package.
RUN npm ci --ignore-scripts --no-audit --no-fund && npm pack && mv petstore-sandbox-*.tgz /package.tgz

FROM ${BASE}
# The package has no dependencies, so this needs no registry.
COPY --from=build /package.tgz /tmp/package.tgz
RUN npm install --global --offline --no-audit --no-fund /tmp/package.tgz && mkdir /data && chown node:node /data
ENV NODE_ENV=production PETSTORE_SANDBOX_HOST=0.0.0.0 PETSTORE_SANDBOX_DB=/data/db.json \
  PETSTORE_SANDBOX_READY_FILE=/data/ready.json
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4010
STOPSIGNAL SIGTERM
# The file exists while the sandbox is ready, whatever its port, protocol and token are.
HEALTHCHECK --interval=2s --timeout=5s --start-period=10s CMD ["test", "-s", "/data/ready.json"]
ENTRYPOINT ["petstore-sandbox"]
