import type { Command } from 'commander'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { paint, printJson, printLine, table, wrap } from '../terminal/terminal.ts'
import { serverEnvironment } from './serve.ts'

const WIDTH = 80
const HIDDEN = '********'

type Setting = { variable: string; value: string; default: string; meaning: string; secret: boolean }

export function addConfigCommands(program: Command): void {
  const config = program
    .command('config')
    .summary('show and check the settings')
    .description('Shows and checks the settings, which are environment variables.')

  const reference = config
    .command('reference')
    .summary('list every setting')
    .description('Lists every setting: its variable, allowed values, default and meaning.')
    .option('--markdown', 'print the table of docs/configuration.md')
    .option('--json', 'print JSON')
    .action(async ({ markdown, json }: { markdown?: boolean; json?: boolean }) => {
      const { configReference } = await import('../../app/settings/mod.ts')
      const settings = settingsOf(configReference())
      if (markdown) printLine(configReference())
      else if (json) printJson(settings)
      else printLine(settings.map(describe).join('\n\n'))
    })
  withExamples(reference, ['parley config reference', 'parley config reference --json | jq ".[].variable"'])

  const check = config
    .command('check')
    .summary('validate the environment')
    .description('Validates the environment as a start would, and prints the values in force with secrets masked.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const found = await checkEnvironment()
      if (json) printJson(found)
      else if (found.ok) {
        const rows = found.settings.map(({ variable, value, source }) => [variable, value, source])
        printLine(table(['variable', 'value', 'from'], rows, 1).trimEnd())
      }
      if (!found.ok) throw new CommandFailure(json ? '' : found.problems.join('\n'))
    })
  withExamples(check, ['parley config check', 'PARLEY_LOG_LEVEL=debug parley config check'])
}

/** Parses the rows of the reference, the only description of the settings. */
function settingsOf(reference: string): Setting[] {
  return reference
    .split('\n')
    .slice(2)
    .map((row) => {
      const [variable = '', value = '', default_text = '', meaning = ''] = row.slice(2, -2).split(' | ').map(plain)
      return { variable, value, default: default_text, meaning, secret: meaning.endsWith('Secret.') }
    })
}

const plain = (markdown: string) => markdown.replaceAll('`', '')

function describe({ variable, value, default: default_text, meaning }: Setting): string {
  const lines = [meaning, `Takes: ${value}. Default: ${default_text}.`]
  return [paint('bold', variable), ...lines.map((line) => wrap(line, WIDTH, 4))].join('\n')
}

type SettingInUse = { variable: string; value: string; source: 'environment' | 'default' }

async function checkEnvironment(): Promise<{ ok: boolean; problems: string[]; settings: SettingInUse[] }> {
  const { ConfigError, configReference, readConfig } = await import('../../app/settings/mod.ts')
  const env = serverEnvironment()
  try {
    // One value per row of the reference, in its order.
    const values = Object.values(readConfig(env))
    const settings = settingsOf(configReference()).map(
      ({ variable, secret, default: default_text }, index): SettingInUse => {
        const is_given = Boolean(env[variable])
        const text = String(values[index] ?? '')
        return {
          variable,
          value: text === '' ? default_text : secret ? mask(text) : text,
          source: is_given ? 'environment' : 'default',
        }
      },
    )
    return { ok: true, problems: [], settings: settings }
  } catch (error) {
    if (error instanceof ConfigError) return { ok: false, problems: error.problems, settings: [] }
    throw error
  }
}

/** Masks the password or the bare token of a URL, and any other secret completely. */
function mask(secret: string): string {
  if (!secret.includes('://')) return HIDDEN
  return secret
    .split(/,(?=\s*\w+:\/\/)/)
    .map((url) => url.replace(/\/\/(.*)@/, (_, credentials: string) => `//${maskCredentials(credentials)}@`))
    .map((url) => url.replace(/\b(password|passfile|sslkey|sslpassword)=[^&]*/gi, `$1=${HIDDEN}`))
    .join(',')
}

function maskCredentials(credentials: string): string {
  const colon = credentials.indexOf(':')
  return colon < 0 ? HIDDEN : `${credentials.slice(0, colon)}:${HIDDEN}`
}
