/** Knowledge nodes as the command line shows them. */
import type { Command } from 'commander'
import { connectAsOperator, type OperatorOptions, withOperatorOptions } from '../connection/connection.ts'
import { projectOf } from '../data/project_option.ts'
import { fields, printJson, printLine } from '../terminal/terminal.ts'

export const NODES = '/admin/v1/knowledge/nodes'

export type Node = {
  _id: string
  project_id: string
  parent_id: string | null
  type: 'folder' | 'document'
  name: string
  content?: string | null
  source_url: string | null
  language: string | null
  index_status: string
  index_error: { code: string; message: string } | null
  created_at: string
  updated_at: string
}

export type Options = OperatorOptions & { json?: boolean }
export type ProjectOptions = Options & { project?: string }

/** For commands that need a project. */
export function withProject(command: Command): Command {
  return withOperatorOptions(command).option(
    '--project <id>',
    'the project that has the knowledge (default: the demo’s; required elsewhere)',
  )
}

/** @throws {CommandFailure} when the project is neither given nor in a demo */
export function connectToProject(options: ProjectOptions) {
  const { api, demo } = connectAsOperator(options)
  return { api, project_id: projectOf(options, demo) }
}

export function nodePath(id: string): string {
  return `${NODES}/${encodeURIComponent(id)}`
}

export function printNode(node: Node, { json }: Options): void {
  if (json) {
    printJson(node)
    return
  }
  const { index_status, index_error } = node
  const document: [string, string][] = [
    ['language', node.language ?? 'unknown'],
    ['index', index_error ? `${index_status}: ${index_error.message}` : index_status],
    ['source', node.source_url ?? 'none'],
  ]
  printLine(
    fields([
      [node.type, node._id],
      ['name', node.name],
      ['in', node.parent_id ?? 'the top'],
      ...(node.type === 'document' ? document : []),
      ['changed', node.updated_at],
    ]),
  )
}
