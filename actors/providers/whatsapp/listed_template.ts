import { isObject, type Json, objects, textOf } from '../json.ts'
import type { ProviderTemplate } from '../provider.ts'

/** The fields of a template that Graph is asked for. */
export const TEMPLATE_FIELDS = [
  'id',
  'name',
  'language',
  'status',
  'category',
  'components',
  'rejected_reason',
  'previous_category',
  'correct_category',
  'quality_score',
].join(',')

/** Reads a template of the provider's list. Empty when it has no name or language. */
export function toTemplate(record: Json): ProviderTemplate[] {
  const { name, language, components, quality_score } = record
  if (typeof name !== 'string' || typeof language !== 'string') return []
  const status = textOf(record.status) ?? 'UNKNOWN'
  const category = textOf(record.category) ?? 'UNKNOWN'
  const next_category = textOf(record.correct_category)
  return [
    {
      name,
      language,
      status,
      category,
      components: objects(components),
      provider_template_id: textOf(record.id),
      rejected_reason: rejectionOf(status, record.rejected_reason),
      previous_category: textOf(record.previous_category),
      next_category: next_category === category ? null : next_category,
      quality: isObject(quality_score) ? textOf(quality_score.score) : null,
    },
  ]
}

/** The reason of a rejection in Graph's words, which says `NONE` for every other status. */
export function rejectionOf(status: string, reason: unknown): string | null {
  const text = textOf(reason)
  return status === 'REJECTED' && text !== 'NONE' ? text : null
}
