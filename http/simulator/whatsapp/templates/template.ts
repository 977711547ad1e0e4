import type { Json } from '../requests/check.ts'

export type TemplateComponent = Json & { type: string; text?: string; format?: string; buttons?: Json[] }

export type Template = {
  id: string
  business_account_id: string
  name: string
  language: string
  status: string
  category: string
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: TemplateComponent[]
  rejected_reason: string
  previous_category?: string
  /** The category that is announced. */
  correct_category?: string
  quality_score: { score: string }
}
