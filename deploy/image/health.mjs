// The health check of the image: ends with 0 when the process answers. It looks at no other server, because a container
// that is started anew does not repair a database. Load balancers ask /ready.
const { PARLEY_HOST, PARLEY_PORT } = process.env
const host = PARLEY_HOST && !['0.0.0.0', '::'].includes(PARLEY_HOST) ? PARLEY_HOST : '127.0.0.1'
const url = `http://${host.includes(':') ? `[${host}]` : host}:${PARLEY_PORT || 8080}/health`
const answer = await fetch(url, { signal: AbortSignal.timeout(4000) }).catch(() => undefined)
process.exit(answer?.ok ? 0 : 1)
