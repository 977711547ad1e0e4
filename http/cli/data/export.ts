/** `parley data export`. */

import { existsSync, statSync } from 'node:fs'
import { access, constants, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Api } from '../connection/api.ts'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { poll } from '../connection/poll.ts'
import { withExamples } from '../options/examples.ts'
import type { DataExport } from '../records/generated.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { paint, printJson, printLine, remark } from '../terminal/terminal.ts'
import { countsInWords, type SubjectOptions, subjectOf, withSubjectOptions } from './subject_option.ts'

type Options = OperatorOptions & SubjectOptions & { output: string; force?: boolean; json?: boolean }

const EXPORTS = '/admin/v1/exports'

export function addExportCommand(data: Command): void {
  const command = withSubjectOptions(withOperatorOptions(data.command('export')))
    .summary('export the data of a person or a project')
    .description(
      'Writes all data of a contact, a customer or a project, as of one moment, to a tar file: ' +
        'data.ndjson with one record a line, the files in media/, and manifest.json.',
    )
    .requiredOption('--output <file>', 'the file to write')
    .option('--force', 'overwrite the file')
    .option('--json', 'print JSON')
    .action(exportSubject)
  withExamples(command, [
    'parley data export --customer 66f2a0c1d4e5f60718293a4b --output ana.tar',
    'parley data export --project 66f2a0c1d4e5f60718293a4b --output shop.tar --json | jq .counts',
  ])
}

async function exportSubject({ output, force = false, json, ...options }: Options): Promise<void> {
  const subject = subjectOf(options)
  if (existsSync(output)) {
    if (statSync(output).isDirectory()) throw new CommandFailure(`${output} is a directory: name a file in it.`)
    if (!force) throw new CommandFailure(`${output} exists; --force overwrites it.`)
  }
  // The dot refuses a file in place of a directory.
  await writing(output, () => access(`${dirname(resolve(output))}/.`, constants.W_OK))
  const { api } = connectAsOperator(options)
  const begun: DataExport = await api.call('POST', EXPORTS, subject)
  const written = await ended(api, begun, json)
  if (written.status !== 'done') {
    throw new CommandFailure(`The export ${written._id} has failed: ${written.error ?? written.status}.`)
  }
  await writing(output, () => download(api, written, output, json))
  if (json) printJson({ ...written, output })
  else printLine(`${output}: ${countsInWords(written.counts)}.`)
}

/** Turns failures of the file system into a sentence. */
async function writing(output: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new CommandFailure(`${output} cannot be written (${code}).`)
  }
}

async function ended(api: Api, { _id }: DataExport, json: boolean | undefined): Promise<DataExport> {
  let last_line = ''
  return poll(api, async () => {
    const found: DataExport = await api.call('GET', `${EXPORTS}/${_id}`)
    const state = `${found.step ?? 'waiting'}: ${countsInWords(found.counts)}`
    if (!json && found.status === 'running' && state !== last_line) remark(paint('dim', state, process.stderr))
    last_line = state
    return found.status === 'running' ? undefined : found
  })
}

/** Writes beside the file first: the file is whole, or not there. */
async function download(
  api: Api,
  { _id, file_size, sha256 }: DataExport,
  output: string,
  json?: boolean,
): Promise<void> {
  const partial = `${output}.part`
  const progress = json ? undefined : new Progress()
  await rm(partial, { force: true })
  try {
    const hash = await api.download(`${EXPORTS}/${_id}/file`, partial, (bytes) => progress?.show(bytes, file_size))
    if (hash !== sha256) throw new CommandFailure('The file was damaged on its way. Try again.')
    await rename(partial, output)
  } finally {
    progress?.clear()
    await rm(partial, { force: true })
  }
}
