/** `parley knowledge import`: documents from files, directories and addresses. */
import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { connectAsProject, type TokenOptions, withTokenOptions } from '../connection/connection.ts'
import { withExamples } from '../options/examples.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { Progress } from '../terminal/progress.ts'
import { printJson, printLine, remark } from '../terminal/terminal.ts'
import { Documents, type Place } from './documents.ts'
import { endings, findDocuments, type LocalFile } from './local_files.ts'
import { failureLine, lacking, newReport, type Report, summaryOf } from './report.ts'
import { whenChanged } from './watch_files.ts'

type Options = TokenOptions & { in?: string; language?: string; watch?: boolean; json?: boolean }

export function addImportCommand(knowledge: Command): void {
  const command = withTokenOptions(knowledge.command('import'))
    .summary('import files, directories and web pages')
    .description(
      'Imports documents: Markdown, plain text, HTML and PDF. A directory becomes a folder with its files and the ' +
        `directories in it; of its files those with the endings ${endings.join(', ')} are imported, and hidden ones ` +
        'are left out. A file that was imported before into the same folder replaces the text of its document, and is ' +
        'skipped if it is unchanged. Files that are gone keep their documents. Needs a token with knowledge:read and ' +
        'knowledge:write. Exit code 1 when a document was not imported, 3 when all were, but a part of one is missing, ' +
        'such as a page without text; standard error says which. The navigation of pages does not count.',
    )
    .argument('<sources...>', 'files, directories, https:// addresses')
    .option('--in <id>', 'the folder to put them in (default: the top)')
    .option('--language <code>', 'their language, such as es; by default it is detected')
    .option('--watch', 'go on importing files as they change, until Ctrl-C')
    .option('--json', 'print JSON, with --watch a line for each round')
    .action(importSources)
  withExamples(command, [
    "mkdir -p docs && echo '# Returns' > docs/returns.md",
    'parley knowledge import docs',
    'parley knowledge import docs --json | jq -r .unchanged',
  ])
}

/** Exit code: all was imported, but a part of a document is missing. */
const IN_PART = 3

async function importSources(sources: string[], options: Options): Promise<void> {
  const addresses = sources.filter(isAddress)
  const paths = sources.filter((source) => !isAddress(source))
  if (options.watch && paths.length === 0) {
    throw new CommandFailure('--watch needs a file or a directory: addresses cannot be watched.', 2)
  }
  for (const path of paths) await mustExist(path)
  const api = connectAsProject(options)
  const documents = new Documents(api, options)
  await documents.checkPlace()
  const progress = new Progress()
  const round = async (with_addresses: readonly string[]): Promise<Report> => {
    const report = newReport()
    documents.forget()
    try {
      const files = await filesOf(paths, documents, report)
      await documents.send(files, with_addresses, report, (done, total) => {
        if (!options.json) progress.show(done, total)
      })
    } finally {
      progress.clear()
    }
    return report
  }
  const first = await round(addresses)
  tell(first, options)
  if (options.watch) {
    if (!options.json) remark('Watching for changes. Ctrl-C ends it.')
    await whenChanged(paths, async () => {
      const report = await round([])
      if (report.imported.length + report.failed.length > 0) tell(report, options)
    })
  } else if (first.failed.length > 0) throw new CommandFailure(`${count(first.failed.length)} not imported.`)
  else if (lacking(first) > 0) throw new CommandFailure(`${count(lacking(first))} imported in part.`, IN_PART)
}

/** The files of all paths, each with the folder that it goes into. Makes missing folders. */
async function filesOf(
  paths: readonly string[],
  documents: Documents,
  report: Report,
): Promise<{ file: LocalFile; place: Place }[]> {
  const all: { file: LocalFile; place: Place }[] = []
  for (const path of paths) {
    const { files, ignored } = await findDocuments(path)
    report.ignored += ignored
    const top = (await isDirectory(path)) ? [basename(resolve(path))] : []
    for (const file of files) all.push({ file, place: await documents.placeOf([...top, ...file.folders]) })
  }
  return all
}

function tell(report: Report, { json, watch }: Options): void {
  if (json) {
    if (watch) printLine(JSON.stringify(report))
    else printJson(report)
    return
  }
  for (const problem of [...report.warnings, ...report.failed]) remark(failureLine(problem))
  printLine(summaryOf(report))
}

function count(failures: number): string {
  return failures === 1 ? '1 document was' : `${failures} documents were`
}

function isAddress(source: string): boolean {
  return /^https?:\/\//i.test(source)
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory()
}

/** @throws {CommandFailure} */
async function mustExist(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() || found?.isDirectory()) return
  const place = dirname(resolve(path))
  throw new CommandFailure(`There is no file or directory ${path} (looked in ${place}).`)
}
