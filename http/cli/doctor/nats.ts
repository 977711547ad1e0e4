import { spawnSync } from 'node:child_process'
import { natsBinary, natsOptions } from '../../../runtime/mod.ts'
import type { DoctorContext } from './context.ts'
import { type Finding, findings } from './finding.ts'
import { askBroker, type Greeting } from './nats_greeting.ts'

const { ok, warn, fail } = findings('nats')

const isRecent = (version: string) => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 2 || (major === 2 && minor >= 9)
}

export async function checkNats({ env, config, readiness }: DoctorContext): Promise<Finding[]> {
  if (config.nats_url) {
    const options = optionsOf(config.nats_url)
    if (options instanceof Error) return [fail(`${options.message}: correct NATS_URL or the file.`)]
    const servers = config.nats_url.split(',').map((server) => server.trim())
    const answers = await Promise.all(servers.map((server) => greet(server, options)))
    const found = answers.map(({ host, answer }) => checkBroker(`The broker at ${host}`, answer))
    return [...found, ...checkReplicas(answers, config.nats_replicas)]
  }
  const found = [checkBinary(env)]
  const broker = readiness?.checks.broker
  if (broker === 'ok') found.push(ok('The running Parley is connected to its broker, with JetStream.'))
  else if (broker)
    found.push(fail(`The running Parley has lost its broker (${broker}): see nats.log in the data directory.`))
  return found
}

type Answered = { host: string; answer: Greeting }

function optionsOf(nats_url: string) {
  try {
    return natsOptions(nats_url)
  } catch (error) {
    return error as Error
  }
}

async function greet(server: string, options: ReturnType<typeof natsOptions>): Promise<Answered> {
  const url = new URL(server)
  return { host: url.host, answer: await askBroker(url, options) }
}

/** A cluster need not tell clients about servers that they do not know, so its size may be larger than what is seen. */
function checkReplicas(answers: Answered[], replicas: number): Finding[] {
  const known = answers.flatMap(({ answer }) => (answer.problem === undefined ? [answer] : []))
  if (known.length === 0) return []
  const count = Math.max(new Set(known.map(({ id }) => id)).size, ...known.map(({ addresses }) => addresses.length))
  if (count >= replicas) return []
  const text = `PARLEY_NATS_REPLICAS is ${replicas}, and NATS has`
  const remedy = 'lower it, or start more servers'
  if (known.every(({ is_clustered }) => !is_clustered)) {
    return [fail(`${text} a single server that is in no cluster: ${remedy}.`)]
  }
  if (known.some(({ addresses }) => addresses.length > 0)) return [fail(`${text} ${count} servers: ${remedy}.`)]
  return [warn(`${text} ${count} servers that are known here: ${remedy}, unless there are others.`)]
}

function checkBroker(where: string, answer: Greeting): Finding {
  if (answer.problem !== undefined) return fail(`${where} ${answer.problem}: correct NATS_URL or start it.`)
  const { version, jetstream, refusal } = answer
  if (!isRecent(version)) return fail(`${where} is nats-server ${version}: Parley needs 2.9 or newer.`)
  if (!jetstream) return fail(`${where} runs without JetStream: enable it (see nats.conf).`)
  if (refusal) return fail(`${where} refuses the credentials of NATS_URL (${refusal}): correct them.`)
  return ok(`${where} is nats-server ${version} with JetStream.`)
}

/** Checks for the embedded nats-server in the same places as a start. */
function checkBinary(env: NodeJS.ProcessEnv): Finding {
  let binary: string
  try {
    binary = natsBinary(env)
  } catch (error) {
    return fail((error as Error).message)
  }
  const { stdout, error } = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  const version = /v(\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1]
  if (!version) return fail(`${binary} does not run here (${error?.message ?? 'it names no version'}): replace it.`)
  if (!isRecent(version)) return fail(`${binary} is version ${version}: Parley needs 2.9 or newer; replace it.`)
  return ok(`nats-server ${version} is at ${binary}.`)
}
