/** The credentials of a WhatsApp number, from options, files, the environment and questions. */
import { readFileSync } from 'node:fs'
import { CommandFailure } from '../terminal/failure.ts'
import type { Dialogue, Question } from './dialogue.ts'

export type Credentials = {
  phone_number_id: string
  business_account_id: string
  access_token: string
  app_secret: string
  api_base_url?: string
}

export type CredentialOptions = {
  phoneNumberId?: string
  businessAccountId?: string
  accessTokenFile?: string
  appSecretFile?: string
  apiBaseUrl?: string
}

const PLACE = 'developers.facebook.com → My Apps → your app'

const isId = (text: string) =>
  /^\d{5,30}$/.test(text) ? undefined : 'Type the id: digits alone, not the phone number.'
const isPlain = (text: string) => (/^[\x21-\x7e]+$/.test(text) ? undefined : 'It has no blanks inside, and no accents.')

const QUESTIONS = {
  phone_number_id: {
    text: 'Phone number ID',
    hint: `${PLACE} → WhatsApp → API Setup, after the number is added`,
    option: '--phone-number-id',
    problem: isId,
  },
  business_account_id: {
    text: 'WhatsApp Business Account ID',
    hint: 'On the same page',
    option: '--business-account-id',
    problem: isId,
  },
  access_token: {
    text: 'Access token (not shown)',
    hint: 'business.facebook.com → Settings → System users: a token with whatsapp_business_messaging and whatsapp_business_management that does not expire',
    option: '--access-token-file (or WHATSAPP_ACCESS_TOKEN)',
    is_secret: true,
    problem: isPlain,
  },
  app_secret: {
    text: 'App secret (not shown)',
    hint: `${PLACE} → App settings → Basic`,
    option: '--app-secret-file (or WHATSAPP_APP_SECRET)',
    is_secret: true,
  },
} satisfies Record<string, Question>

/** Credentials from options, files and the environment. @throws {CommandFailure} for a file that cannot be read */
export function credentialsOf(options: CredentialOptions): Partial<Credentials> {
  if (options.accessTokenFile === '-' && options.appSecretFile === '-')
    throw new CommandFailure('Standard input has one secret: give the other one as a file.', 2)
  const fields = {
    phone_number_id: options.phoneNumberId,
    business_account_id: options.businessAccountId,
    access_token: secretOf(options.accessTokenFile, 'WHATSAPP_ACCESS_TOKEN'),
    app_secret: secretOf(options.appSecretFile, 'WHATSAPP_APP_SECRET'),
    api_base_url: options.apiBaseUrl,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Asks for the credentials that are not given. @throws {CommandFailure} without a terminal, with all missing options */
export async function askCredentials(dialogue: Dialogue, input: Partial<Credentials>): Promise<Credentials> {
  const names = Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[]
  const missing = names.filter((name) => input[name] === undefined).map((name) => QUESTIONS[name].option)
  if (!dialogue.is_possible && missing.length > 1)
    throw new CommandFailure(`${missing.slice(0, -1).join(', ')} and ${missing.at(-1)} are missing.`, 2)
  const credentials: Partial<Credentials> = { ...input }
  for (const name of names) credentials[name] = await dialogue.answer(input[name], QUESTIONS[name])
  return credentials as Credentials
}

/** Not an option of its own, because other users of the machine see command lines. */
function secretOf(path: string | undefined, variable: string): string | undefined {
  if (path === undefined) return process.env[variable] || undefined
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8').trim()
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`, 2)
  }
}
