import { SIMULATED_MODEL } from './models.ts'
import type { Environment, Setting } from './setting.ts'
import { type Config, settings } from './settings.ts'

const LOOPBACK = ['127.0.0.0/8', '::1/128']

/** All problems with the settings, one sentence each. */
export class ConfigError extends Error {
  readonly problems: string[]
  readonly environment: Environment

  constructor(problems: string[], environment: Environment) {
    super(problems.join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
    this.environment = environment
  }
}

/** Reads the settings from environment variables. An empty variable counts as not set. Throws `ConfigError`. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems = unknownVariables(env)
  const environment: Environment = env.PARLEY_ENV
    ? read(settings.environment)
    : env.DATABASE_URL
      ? 'production'
      : 'development'
  const entries = Object.entries(settings).map(([key, declaration]) => [key, read(declaration as Setting<unknown>)])
  const config: Config = { ...Object.fromEntries(entries), environment }
  if (environment === 'development') config.allow_networks = [...new Set([...config.allow_networks, ...LOOPBACK])]
  if (env.PARLEY_SMTP_URL && !env.PARLEY_MAIL_FROM) {
    problems.push('PARLEY_MAIL_FROM is not set, and PARLEY_SMTP_URL needs it: the address that mails come from.')
  }
  problems.push(...offerModels(config, env))
  if (problems.length > 0) throw new ConfigError([...new Set(problems)], environment)
  return config

  function read<Value>({ variable, type, default: value, production, secret }: Setting<Value>): Value {
    const text = env[variable]
    const fallback = () => (value instanceof Function ? value(environment) : value)
    if (!text) {
      if (production && environment === 'production') {
        problems.push(`${variable} is not set, and production needs it: ${production}.`)
      }
      return fallback()
    }
    try {
      return type.parse(text, env)
    } catch (error) {
      problems.push(`${variable} ${(error as Error).message}${secret ? '' : `, not "${text}"`}.`)
      return fallback()
    }
  }
}

/**
 * The models that assistants may use, where PARLEY_MODELS or a development start decides them. Returns what is wrong.
 */
function offerModels(config: Config, env: NodeJS.ProcessEnv): string[] {
  const { models, assistant_models, assistants_url, environment } = config
  const own = models.map(({ name }) => name)
  if (own.length === 0) {
    const is_simulated = environment === 'development' && !env.PARLEY_ASSISTANT_MODELS && !assistants_url
    if (is_simulated) config.assistant_models = [...new Set([SIMULATED_MODEL, ...assistant_models])]
    return []
  }
  if (!env.PARLEY_ASSISTANT_MODELS) config.assistant_models = own
  else if (!assistants_url) {
    const missing = assistant_models.filter((name) => !own.includes(name))
    if (missing.length > 0)
      return [
        `PARLEY_ASSISTANT_MODELS has ${missing.join(', ')}, which PARLEY_MODELS does not describe: only the service of PARLEY_ASSISTANTS_URL, which is not set, could run it.`,
      ]
  }
  return []
}

/** The settings that the environment has, as they are written there. */
export function settingsIn(env: NodeJS.ProcessEnv): { variable: string; value: string; is_secret: boolean }[] {
  return Object.values(settings as Record<string, Setting<unknown>>).flatMap(({ variable, secret = false }) => {
    const value = env[variable]
    return value ? [{ variable, value, is_secret: secret }] : []
  })
}

/** Read by the command line, which may share its environment with a server. */
const OF_CLIENTS = ['PARLEY_TOKEN', 'PARLEY_BACKUP_PASSPHRASE']

/** Reports unknown variables: a misspelt setting would otherwise have no effect, silently. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  return Object.keys(env)
    .filter((name) => name.startsWith('PARLEY_') && !name.startsWith('PARLEY_TEST_') && !known.includes(name))
    .filter((name) => !OF_CLIENTS.includes(name))
    .map((name) => {
      const nearest = known.toSorted((one, other) => distance(name, one) - distance(name, other))[0] ?? ''
      const hint = distance(name, nearest) <= 4 ? `did you mean ${nearest}?` : 'see docs/configuration.md.'
      return `${name} is not a setting of Parley: ${hint}`
    })
}

/** Levenshtein's distance. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, against] of [...other].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === against ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
