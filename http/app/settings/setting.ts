/** The declaration of one setting. */
import { integer, type SettingType } from './types.ts'

export type Setting<Value> = {
  variable: string
  type: SettingType<Value>
  meaning: string
  /** Value when the variable is not set; it may depend on the environment. */
  default: Value | ((environment: Environment) => Value)
  /** The default in words, where the value alone is not clear. */
  default_text?: string
  secret?: true
  /** Required in production; ends the sentence that says so. */
  production?: string
}

export type Environment = 'development' | 'production'

export const setting = <Value>(declaration: Setting<Value>) => declaration

/** A number of things, from 1 to `most`. */
export const count = (variable: string, value: number, most: number, meaning: string) =>
  setting({ variable, type: integer(1, most), default: value, meaning })
