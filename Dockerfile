# The service by itself; compose.yaml runs it with Neo4j.
FROM node:20-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY bin ./bin
RUN npm ci
COPY tsconfig*.json bundle.js ./
COPY src ./src
COPY bench ./bench
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
RUN mkdir -p /srv/svc && chown node:node /srv/svc
USER node
VOLUME /srv/svc
EXPOSE 8082
CMD ["node", "bin/svc.js", "--conf", "/srv/svc/svc.conf"]
