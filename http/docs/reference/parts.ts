/** The parts of an OpenAPI document that the pages show. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  title?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  maxProperties?: number
  contentMediaType?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  discriminator?: { propertyName: string }
}

export type Parameter = {
  $ref?: string
  name: string
  in: string
  description?: string
  required?: boolean
  schema?: Schema
  example?: unknown
}

export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }

type Body = { content?: Record<string, Media> }

export type Response = Body & { $ref?: string; description: string; headers?: object }

export type Sample = { label: string; lang: string; source: string }

/** An operation, or an event. */
export type OperationObject = {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Response>
  security?: unknown[]
  'x-required-scopes'?: string[]
  'x-required-role'?: string
  'x-codeSamples'?: Sample[]
}
