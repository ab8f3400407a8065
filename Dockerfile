# One image for all processes of Tidings. The native packages need glibc, so the base is Debian's slim image, not Alpine.
# The digest is that of the index of all platforms; CONTRIBUTING.md explains how to update it with the tag.
ARG NODE_IMAGE=node:22.23.3-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c

FROM ${NODE_IMAGE} AS nats-server
WORKDIR /app
COPY scripts ./scripts
# The same set-up as on a developer's machine: Debian 13's package, its signature checked by apt.
RUN node scripts/setup.mjs --only nats --nats required

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY tsconfig.json LICENSE ./
COPY scripts ./scripts
COPY sdk ./sdk
COPY config ./config
COPY src ./src
COPY workers ./workers
COPY wasm ./wasm
COPY dashboard ./dashboard
RUN node node_modules/typescript/bin/tsc --sourceMap false --incremental false --tsBuildInfoFile null \
  && node scripts/setup/programs.mjs \
  && node scripts/setup/client.mjs \
  && node scripts/setup/cutter.mjs \
  && node scripts/setup/dashboard.mjs \
  && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    TIDINGS_HOST=0.0.0.0 \
    TIDINGS_OPS_HOST=0.0.0.0 \
    TIDINGS_DATA_DIR=/data
WORKDIR /app
RUN install -d -m 0700 -o node -g node /data
COPY --from=nats-server /app/.tools/nats-server ./.tools/nats-server
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY config ./config
COPY docs/api.md ./docs/api.md
USER node
VOLUME /data
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.TIDINGS_OPS_PORT || 9464}/healthz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js", "start"]
