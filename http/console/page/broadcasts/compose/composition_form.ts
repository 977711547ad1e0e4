/** A bulk send while an agent composes it. */

/** A row of a file. `line` is that of its first character, counted from 1 as in editors. */
export type Row = { line: number; cells: string[] }

/** The value of a variable: of a column, with the text for empty cells; or the same text for everybody. */
export type Source = { column: number | null; text: string }

/** The agent's choices so far. They survive a reload, so they are plain data. */
export type Form = {
  /** The name of the file; null for pasted text. */
  file_name: string | null
  rows: Row[]
  has_head: boolean
  phone_at: number
  channel_id: string | null
  /** With the variables that it needed when it was chosen. */
  template: { name: string; language: string; variables: string[] } | null
  sources: Record<string, Source>
  campaign_name: string
  /** Rows with faults are left out. Without it they have to be mended first. */
  leaves_out_faults: boolean
  /** A request that was begun, and whose answer has not arrived. */
  sending: { key: string; begun_at: string } | null
}

export type Person = { line: number; phone: string; variables: Record<string, string> }

export type RowFault = { line: number; reason: string }

export type Sheet = {
  people: Person[]
  faults: RowFault[]
  /** Rows whose phone was in an earlier row: only the first one counts. */
  repeated: { line: number; phone: string; first_line: number }[]
  /** Rows without the head. */
  total: number
}

/** Why a bulk send cannot begin yet; `at` is the part of the page that mends it. */
export type Hindrance = { at: 'template' | 'recipients' | 'variables'; text: string }
