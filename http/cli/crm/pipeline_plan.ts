/** A pipeline in a file, and its differences from the present one. */

import { isDeepStrictEqual } from 'node:util'
import { readJsonOf } from '../options/read_file.ts'
import type { Pipeline } from '../records/generated.ts'
import type { Json } from '../records/resource.ts'
import { CommandFailure } from '../terminal/failure.ts'
import { spellRules } from './spelling.ts'

export type Stage = { _id?: string; name: string; rules?: Json }

export type PipelineFile = { _id?: string; name: string; is_default?: boolean; stages: Stage[] }

/**
 * Reads a pipeline file. Only the outline is checked here, because the server checks the rules.
 * @throws {CommandFailure} when it is not a pipeline file
 */
export async function readPipeline(path: string): Promise<PipelineFile> {
  const read = (await readJsonOf(path)) as PipelineFile | null
  const is_ours = typeof read?.name === 'string' && Array.isArray(read.stages)
  if (is_ours && read.stages.every((stage) => typeof stage?.name === 'string')) return read
  const outline = '{ "name": …, "stages": [{ "name": …, "rules": { … } }] }'
  throw new CommandFailure(`${path} is no pipeline: it must be ${outline}, as \`parley pipelines export\` writes it.`)
}

/** The part of a pipeline that the file keeps: enough to create it again, or to find it and its stages. */
export function toFile({ _id, name, is_default, stages }: Pipeline): PipelineFile {
  const kept = stages.map(({ _id, name, rules }) => ({ _id, name, rules }))
  return { _id, name, is_default, stages: kept }
}

/** The changes, a line each, and the body of the request that makes them. */
export type Plan = { lines: string[]; body: Json }

/** The part of an existing pipeline that a plan reads. */
type Present = Pick<Pipeline, 'name' | 'is_default' | 'stages'>

/** Stages are matched by `_id`, else by name: a file may come from another project. */
export function planOf(file: PipelineFile, present: Present): Plan {
  const lines: string[] = []
  const body: Json = {}
  if (file.name !== present.name) {
    lines.push(`~ name: ${present.name} → ${file.name}`)
    body.name = file.name
  }
  if (file.is_default !== undefined && file.is_default !== present.is_default) {
    lines.push(file.is_default ? '~ becomes the default' : '~ is no longer the default')
    body.is_default = file.is_default
  }
  const stages = matched(file.stages, present.stages)
  const stage_lines = stageLines(stages, present.stages)
  if (stage_lines.length > 0) body.stages = stages.map(({ before, ...stage }) => stage)
  return { lines: [...lines, ...stage_lines], body }
}

type Matched = Stage & { before: Present['stages'][number] | undefined }

function matched(stages: Stage[], present: Present['stages']): Matched[] {
  const left = new Set(present)
  const take = (fits: (one: Present['stages'][number]) => boolean) => {
    const found = [...left].find(fits)
    if (found) left.delete(found)
    return found
  }
  const known = new Map(stages.map((stage) => [stage, stage._id && take(({ _id }) => _id === stage._id)]))
  return stages.map((stage) => {
    const before = known.get(stage) || take(({ name }) => name === stage.name)
    const { name, rules = {} } = stage
    return { ...(before && { _id: before._id }), name, rules, before: before || undefined }
  })
}

function stageLines(stages: Matched[], present: Present['stages']): string[] {
  const kept = stages.flatMap(({ before }) => (before ? [before._id] : []))
  const before = present.map(({ _id }) => _id).filter((_id) => kept.includes(_id))
  const lines: string[] = []
  for (const { name, rules = {}, before } of stages) {
    if (!before) lines.push(`+ stage ${withRules(name, rules)}`)
    else if (before.name !== name || !isDeepStrictEqual(before.rules, rules)) {
      lines.push(`~ stage ${withRules(before.name, before.rules)} → ${withRules(name, rules)}`)
    }
  }
  for (const { _id, name } of present) if (!kept.includes(_id)) lines.push(`- stage ${name}`)
  const order = stages.map(({ name }) => name).join(', ')
  if (!isDeepStrictEqual(kept, before)) lines.push(`~ order: ${order}`)
  else if (lines.some((line) => line.startsWith('+')) && stages.at(-1)?.before) lines.push(`  order: ${order}`)
  return lines
}

function withRules(name: string, rules: Json): string {
  const spelt = spellRules(rules)
  return spelt ? `${name}:${spelt}` : name
}
