/** The board of a pipeline, as `GET …/board` answers it. */
import type { InboxRow } from '../records/inbox.ts'

export type BoardCard = InboxRow & {
  amount: number | null
  amount_currency: string | null
  summary: string | null
}

/** `stage_id` is null for tickets without a stage. */
export type BoardPage = { stage_id: string | null; data: BoardCard[]; next_cursor: string | null }

export type BoardTotal = {
  stage_id: string | null
  tickets: number
  amounts: { currency: string | null; amount: number }[]
}

/** The parameters of the board, as the request takes them. */
export type BoardFilter = { assigned_to?: string; tag_id?: string; priority?: string; search?: string }
