import { InvalidArgumentError } from 'commander'

export function parseOrder(text: string): number {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 1000) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 1000.')
}

export type HandOver = { assigned_to?: string; stage_id?: string; tag_ids?: string[] }

/** Parses changes such as `assigned_to=<id>,tag_id=<id>,tag_id=<id>`, or `none`. */
export function parseHandOver(text: string): HandOver | 'none' {
  if (text === 'none') return text
  const changes: HandOver = {}
  for (const part of text.split(',')) {
    const [, name, id] = /^\s*(assigned_to|stage_id|tag_id)=([0-9a-f]{24})\s*$/i.exec(part) ?? []
    if (name === undefined || id === undefined) {
      throw new InvalidArgumentError('It must be none, or some of assigned_to=<id>,stage_id=<id>,tag_id=<id>.')
    }
    if (name.toLowerCase() === 'tag_id') changes.tag_ids = [...(changes.tag_ids ?? []), id]
    else changes[name.toLowerCase() as 'assigned_to' | 'stage_id'] = id
  }
  return changes
}

export function spellHandOver(hand_over: HandOver | null): string {
  const { assigned_to, stage_id, tag_ids = [] } = hand_over ?? {}
  const spelled = [
    ...(assigned_to ? [`assigned_to=${assigned_to}`] : []),
    ...(stage_id ? [`stage_id=${stage_id}`] : []),
    ...tag_ids.map((id) => `tag_id=${id}`),
  ]
  return spelled.join(', ') || 'none'
}
