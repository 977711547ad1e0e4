import type { JsonSchema } from '../../actors/mod.ts'

/**
 * The schemas of which a value has one. Undefined where there are none, and where they only say which fields of an object
 * go together.
 */
export function choicesOf<Schema extends JsonSchema>({ oneOf, anyOf }: Schema): Schema[] | undefined {
  const choices = (oneOf ?? anyOf) as Schema[] | undefined
  return choices?.every(isPresence) ? undefined : choices
}

function isPresence({ required, properties = {}, ...others }: JsonSchema): boolean {
  const isEmpty = (part: object) => Object.keys(part).length === 0
  return required !== undefined && isEmpty(others) && Object.values(properties as object).every(isEmpty)
}
