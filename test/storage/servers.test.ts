/** Several servers in one URL, and the order of the tries. */
import t from 'tap'
import { parsePostgresUrl, type Server, Servers } from '../../storage/connections/servers.ts'

t.test('a URL names servers in the form of libpq', (t) => {
  const hosts = (url: string) => parsePostgresUrl(url).hosts.map(({ name, port }) => `${name} ${port}`)
  t.same(hosts('postgres://u:p@h1:5433,h2:5434/db?target_session_attrs=read-write'), ['h1 5433', 'h2 5434'])
  t.same(hosts('postgresql://u:p@h1,h2:5434,[::1]:7/db'), ['h1 5432', 'h2 5434', '::1 7'])
  t.same(hosts('postgres://u:p@/db?host=h1,h2&port=5433'), ['h1 5433', 'h2 5433'])
  t.same(hosts('postgres://u@h0:6000/db?host=/var/run/postgresql'), ['/var/run/postgresql 6000'])
  t.same(hosts('postgres://u:p@ss,w@h1/db'), ['h1 5432'], 'a password may hold what separates')
  t.same(hosts('postgres://%2Frun%2Fpg/db'), ['/run/pg 5432'])
  t.same(hosts('postgres:///db'), ['localhost 5432'])
  t.equal(
    parsePostgresUrl('postgres://u:p%40@h1:5433,h2/db?sslmode=disable&target_session_attrs=primary').url,
    'postgres://u:p%40@h1/db?sslmode=disable',
    'the driver gets one host',
  )
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    const { url } = parsePostgresUrl(`postgres://h1/db?sslmode=${mode}`)
    t.equal(url, 'postgres://h1/db?sslmode=verify-full', `${mode} checks the certificate and its name`)
  }
  t.equal(parsePostgresUrl('postgres://h1/db?sslmode=no-verify').url, 'postgres://h1/db?sslmode=no-verify')
  t.end()
})

t.test('the refusal of an unusable URL does not repeat the URL', (t) => {
  const wrong: [string, RegExp][] = [
    ['mysql://u:hunter2@h/db', /^must be a URL that begins with postgres/],
    ['postgres://u:hunter2@h1:x,h2/db', /^must name its servers as host:port/],
    ['postgres://u:hunter2@h1:70000,h2/db', /^must give ports from 1 to 65535$/],
    ['postgres://u:hunter2@h1,h2/db?port=1,2,3', /^must give one port, or one for each host$/],
    ['postgres://u:hunter2@h1,h2/db?target_session_attrs=standby', /^must not ask for servers that take no writes/],
  ]
  for (const [url, said] of wrong) t.throws(() => parsePostgresUrl(url), { message: said }, url)
  for (const [url] of wrong) {
    try {
      parsePostgresUrl(url)
    } catch (error) {
      t.notMatch(String(error), /hunter2/)
    }
  }
  t.end()
})

t.test('each address of each name has its turn, and the server of the last connection gets the next', async (t) => {
  const names: Record<string, string[]> = { a: ['10.0.0.1', '10.0.0.2'], b: ['10.0.0.3'] }
  const servers = new Servers(
    [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
    async (name) => names[name]!,
  )
  const tried: string[] = []
  const attempt = (good: string) => async () => {
    const { server, of } = await servers.choose()
    tried.push(server.address)
    if (server.address === good) return servers.succeeded(server)
    const error = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    servers.failed(server)
    servers.blame(server, of, error)
    throw error
  }
  const reach = async (good: string) => {
    tried.length = 0
    await servers.reach(attempt(good))
    return tried.splice(0)
  }
  t.same(await reach('10.0.0.3'), ['10.0.0.1', '10.0.0.2', '10.0.0.3'])
  t.same(await reach('10.0.0.3'), ['10.0.0.3'])
  t.same(await reach('10.0.0.2'), ['10.0.0.3', '10.0.0.1', '10.0.0.2'], 'around')
  await t.rejects(reach('none'), {
    message: /^no server takes writes \(a:1 \(10\.0\.0\.2\): refused; b:2 \(10\.0\.0\.3\): refused; a:1 /,
    code: 'ECONNREFUSED',
  })
  names.a = ['10.0.0.9']
  t.same(await reach('10.0.0.9'), ['10.0.0.9'], 'a name that leads elsewhere now')
})

t.test('simultaneous failures take no turns from each other', async (t) => {
  const servers = new Servers(
    ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((name) => ({ name, port: 1 })),
    async (name) => [name],
  )
  const reached: Server[] = []
  const attempt = async () => {
    const { server, of } = await servers.choose()
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    if (server.address === '10.0.0.3') {
      servers.succeeded(server)
      reached.push(server)
      return
    }
    const error = new Error('refused')
    servers.failed(server)
    servers.blame(server, of, error)
    throw error
  }
  await Promise.all(Array.from({ length: 50 }, () => servers.reach(attempt)))
  t.equal(reached.length, 50)
})

t.test('a server that refuses the sign-in ends the tries', async (t) => {
  const servers = new Servers(
    ['10.0.0.1', '10.0.0.2'].map((name) => ({ name, port: 1 })),
    async (name) => [name],
  )
  let tries = 0
  const refusal = servers.reach(async () => {
    const { server, of } = await servers.choose()
    tries++
    const error = Object.assign(new Error('password'), { code: '28P01' })
    servers.blame(server, of, error)
    throw error
  })
  await t.rejects(refusal, { code: '28P01' })
  t.equal(tries, 1)
})
