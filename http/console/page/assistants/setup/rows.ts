/** The places of an assistant while they are filled in. No DOM. */

import type { AssistantDeployment } from '../../records/assistant.ts'

/** `after_minutes` is the text of its field. `key` tells rows apart while they are edited. */
export type RowDraft = Omit<AssistantDeployment, 'after_minutes'> & { after_minutes: string; key: string }

export const NEW_ROW: Omit<RowDraft, 'key'> = {
  channel_ids: [],
  answers: 'outside_hours',
  after_minutes: '15',
  tag_ids: [],
  is_active: true,
}

export function draftOf({ after_minutes, ...row }: AssistantDeployment, at: number): RowDraft {
  return { ...row, after_minutes: String(after_minutes ?? 15), key: String(at) }
}

/** The rows as they are sent. */
export function rowsOf(rows: RowDraft[]): AssistantDeployment[] {
  return rows.map(({ channel_ids, answers, after_minutes, tag_ids, is_active }) => ({
    channel_ids,
    answers,
    after_minutes: answers === 'unanswered' ? Number(after_minutes) : null,
    tag_ids,
    is_active,
  }))
}

export function isSame(one: AssistantDeployment[], other: AssistantDeployment[]) {
  const text = (rows: AssistantDeployment[]) => JSON.stringify(rowsOf(rows.map(draftOf)))
  return text(one) === text(other)
}
