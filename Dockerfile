# The server as an image: `docker run --init -p 8082:8082 -v svc-data:/srv/svc -e SVC_initialuser_password=… svc`.
# compose.yaml runs it on the embedded database, compose.neo4j.yaml several of them on Neo4j. Commands go behind the name of the
# image, as those behind `svc`: `docker compose exec svc svc user passwd admin`.
ARG NODE=20

FROM node:${NODE}-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY bin ./bin
RUN npm ci
COPY tsconfig*.json bundle.js bundle-frontend.js bundle-ui.js ./
COPY src ./src
COPY bench ./bench
COPY docker ./docker
RUN npm run build && npm prune --omit=dev && node bin/drop-binaries.js --lean

FROM node:${NODE}-bookworm-slim
LABEL org.opencontainers.image.title="svc" org.opencontainers.image.licenses="Apache-2.0"
# A container is reached from outside of itself. The documented initial password is not enough there: give another one.
ENV NODE_ENV=production SVC_application_host=0.0.0.0
COPY package.json LICENSE README.md CHANGELOG.md /app/
COPY docs /app/docs
COPY bin /app/bin
COPY docker /app/docker
# Each package has its licence in its folder.
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist/src /app/dist/src
RUN ln -s /app/bin/svc.js /usr/local/bin/svc && mkdir -p /srv/svc && chown node:node /srv/svc
USER node
# Settings, database and files: all that is worth keeping.
WORKDIR /srv/svc
VOLUME /srv/svc
# The second one is that of the maintenance mode.
EXPOSE 8082 8182
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["node", "/app/docker/healthcheck.mjs"]
ENTRYPOINT ["svc"]
