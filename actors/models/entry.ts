import type { ModelInput } from './model.ts'

/** The service that transcribes recordings for a model. */
export type TranscriptionEntry = {
  /** The address under which `/audio/transcriptions` lies. */
  url: string
  key: string | null
  /** The provider's name of its model. */
  model: string
}

/** Decimals for a million tokens, with at most six places, so that they are exact. */
export type PriceEntry = { input: string; output: string; currency: string }

/** One model as the operator describes it (docs/models.md). Plain data, because it goes to other processes. */
export type ModelEntry = {
  /** The name in Parley. */
  name: string
  /** The address under which `/chat/completions` lies. */
  url: string
  key: string | null
  /** The provider's name of it. */
  model: string
  context: number
  max_output: number
  /** Null: calls have no cost. */
  price: PriceEntry | null
  reads: readonly ModelInput[]
  /** Parameters and headers of every call, such as those of Azure. */
  query: Record<string, string>
  headers: Record<string, string>
  /** The field of the request that bounds the answer. */
  output_field: 'max_tokens' | 'max_completion_tokens'
  transcription: TranscriptionEntry | null
}

/** Shorter values of headers are no secrets. */
const MIN_SECRET = 8

/** The texts of the entry that no message may repeat. */
export function secretsOf({ key, headers = {} }: Pick<TranscriptionEntry, 'key'> & Partial<ModelEntry>): string[] {
  return [key ?? '', ...Object.values(headers)].filter(({ length }) => length >= MIN_SECRET)
}
