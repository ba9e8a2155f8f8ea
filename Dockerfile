# The base image. To pin it: --build-arg NODE_IMAGE=docker.io/library/node:24-slim@sha256:…, and with
# --build-arg REQUIRE_DIGEST=1 anything else fails. The release workflow does both.
ARG NODE_IMAGE=docker.io/library/node:24-slim

FROM ${NODE_IMAGE} AS build
ARG NODE_IMAGE
ARG REQUIRE_DIGEST=
RUN case "${REQUIRE_DIGEST}:${NODE_IMAGE}" in :*|*@sha256:*) ;; *) echo "expected a digest, found ${NODE_IMAGE}" >&2; exit 1 ;; esac
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
# The base image is the runtime that the dev dependency pins, so no install script has to run.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
ARG REVISION=unknown
RUN node tools/build.ts
# The image is read-only when it runs: what would be compiled at every start is compiled here, once.
RUN NODE_COMPILE_CACHE=/build/cache node tools/warm.ts

# Node.js and the libraries that it loads: no shell, no npm and no package manager reach the image. getaddrinfo loads
# libresolv when it needs it.
RUN mkdir -p /runtime/data /runtime/etc /runtime/tmp && \
    { ldd /usr/local/bin/node | grep -o '/[^ ]*'; ls /lib/*-linux-gnu/libresolv.so.2; } | sort -u | \
    xargs cp --parents --dereference --target-directory=/runtime /usr/local/bin/node && \
    echo 'stacks-exporter:x:1000:1000::/:' >/runtime/etc/passwd && \
    echo 'hosts: files dns' >/runtime/etc/nsswitch.conf && \
    chown 1000:1000 /runtime/data && chmod 1777 /runtime/tmp

FROM scratch
COPY --from=build /runtime /
LABEL org.opencontainers.image.title="stacks-exporter" \
      org.opencontainers.image.description="Prometheus exporter for the Stacks blockchain API" \
      org.opencontainers.image.licenses="Apache-2.0"
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.version="${VERSION}" org.opencontainers.image.revision="${REVISION}"
# A small young generation, and memory returned to the system: about 25 MB less at rest. With a watch list of thousands,
# override NODE_OPTIONS to get a larger young generation.
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/cache NODE_OPTIONS=--max-semi-space-size=1 \
    MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 PATH=/usr/local/bin
WORKDIR /app
# The bundle holds the production dependencies and nothing else; their licences are next to it.
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/dist ./dist
COPY --from=build /build/cache ./cache
# The state file, data/state.db by default, is all that is written.
VOLUME /data
WORKDIR /
USER 1000:1000
EXPOSE 10789
# An address for the health check alone: it depends neither on the listen addresses nor on TLS.
ENV STACKS_EXPORTER_PROBE_ADDRESS=127.0.0.1:10791
HEALTHCHECK --interval=15s --timeout=3s --start-period=5s --retries=3 \
  CMD ["node", "-e", "fetch(`http://${process.env.STACKS_EXPORTER_PROBE_ADDRESS}/-/healthy`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
