/** Runs code samples as their readers do: each language in one process for all samples. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The source of a sample by its operation. */
export type Sources = Record<string, string>

type Language = {
  extension: string
  /** Prints the command's version, when the language is installed. */
  probe: [command: string, ...args: string[]]
  /** A program that runs all files and prints a line `<file>: <why>` for each that fails. */
  runner: string
  start: (runner: string) => [command: string, ...args: string[]]
}

const LANGUAGES: Record<string, Language> = {
  TypeScript: {
    extension: 'ts',
    probe: [process.execPath, '--version'],
    runner: `
      import { readdirSync } from 'node:fs'
      console.log = () => {}
      for (const file of readdirSync('.').filter((name) => name.endsWith('.ts'))) {
        await import(process.cwd() + '/' + file).catch((error) => process.stdout.write(file + ': ' + error + '\\n'))
      }`,
    start: (runner) => [process.execPath, '--input-type=module', '--eval', runner],
  },
  Shell: {
    extension: 'sh',
    probe: ['curl', '--version'],
    runner: 'for file in *.sh; do said=$(bash -e "$file" 2>&1) || echo "$file: $said"; done',
    start: (runner) => ['bash', '-c', runner],
  },
  Python: {
    extension: 'py',
    probe: ['python3', '-c', 'import requests'],
    runner: `
import glob, traceback
for file in sorted(glob.glob('*.py')):
    try:
        exec(compile(open(file).read(), file, 'exec'), {'print': lambda *_: None})
    except Exception as error:
        print(file + ': ' + repr(error) + ' ' + getattr(getattr(error, 'response', None), 'text', ''))
`,
    start: (runner) => ['python3', '-c', runner],
  },
}

/** Undefined for a language that this machine does not have. */
export async function runSamples(
  lang: string,
  sources: Sources,
  directory: string,
  env: Record<string, string>,
): Promise<string[] | undefined> {
  const { extension, probe, runner, start } = LANGUAGES[lang]!
  // The samples show no error handling of curl. An answer that is refused has to end it.
  writeFileSync(join(directory, '.curlrc'), 'fail-with-body\nsilent\nshow-error\n')
  writeFileSync(join(directory, 'document.pdf'), '%PDF-1.4\n')
  for (const [id, source] of Object.entries(sources))
    writeFileSync(join(directory, `${id}.${extension}`), `${source}\n`)
  const { PATH, HOME } = process.env
  const surroundings = { cwd: directory, env: { PATH, HOME, CURL_HOME: directory, ...env } }
  if ((await ended(probe, surroundings)).code !== 0) return undefined
  const { code, said } = await ended(start(runner), surroundings)
  return code === 0 && said === '' ? [] : said.trim().split('\n')
}

type Surroundings = { cwd: string; env: NodeJS.ProcessEnv }

async function ended([command, ...args]: [string, ...string[]], { cwd, env }: Surroundings) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const failed = once(child, 'error').then(() => [-1])
  const [said, [code]] = await Promise.all([text(child.stdout), Promise.race([once(child, 'close'), failed])])
  return { code, said }
}
