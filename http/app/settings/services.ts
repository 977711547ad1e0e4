/** Services that Parley uses beside providers: mail, secret scanning and assistants. */
import type { ModelEntry } from '../../../actors/mod.ts'
import { models } from './models.ts'
import { count, setting } from './setting.ts'
import { daysBefore, mailbox, names, publicKeys, recipients, service, text, url } from './types.ts'

const MODELS = [
  ...['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-4o', 'gpt-4o-mini', 'claude-opus-4-1'],
  ...['claude-sonnet-4-5', 'claude-haiku-4-5', 'gemini-2.5-pro', 'gemini-2.5-flash'],
]

export const services = {
  smtp_url: setting<string | null>({
    variable: 'PARLEY_SMTP_URL',
    type: url('smtp', 'smtps'),
    default: null,
    default_text: 'none: mails are dropped',
    secret: true,
    meaning:
      'Mail server for e-mails of the service: `smtp://user:password@host:587` (TLS when the server offers it, `?requireTLS=true` requires it) or `smtps://…:465`. Needs `PARLEY_MAIL_FROM`.',
  }),
  mail_from: setting<string | null>({
    variable: 'PARLEY_MAIL_FROM',
    type: mailbox,
    default: null,
    default_text: 'none',
    meaning: 'Sender of these e-mails: `Parley <parley@example.com>`.',
  }),
  token_mail_to: setting({
    variable: 'PARLEY_TOKEN_MAIL_TO',
    type: recipients,
    default: ['owner'],
    default_text: '`owner`',
    meaning:
      'Recipients of e-mails about access tokens that were found in public or expire soon. `owner` is the user of the token.',
  }),
  token_warning_days: setting({
    variable: 'PARLEY_TOKEN_WARNING_DAYS',
    type: daysBefore,
    default: [14, 3, 1],
    meaning:
      'Days before the expiry of an access token at which its owner is warned by e-mail; `none` for no warnings.',
  }),
  secret_scanning_keys: setting<Record<string, string>>({
    variable: 'PARLEY_SECRET_SCANNING_KEYS',
    type: publicKeys,
    default: {},
    default_text: 'none: all reports are refused',
    meaning:
      'Public keys of GitHub’s secret scanning, as `https://api.github.com/meta/public_keys/secret_scanning` lists them. `POST /secret-scanning/alerts` accepts reports that one of them signed.',
  }),
  models: setting<ModelEntry[]>({
    variable: 'PARLEY_MODELS',
    type: models,
    default: [],
    default_text: 'none; development has the simulator’s',
    secret: true,
    meaning:
      'Language models that Parley asks for its assistants, with their addresses, keys and prices ([models.md](models.md)): `{"gpt-5":{"url":"https://api.openai.com/v1","context":400000}}`.',
  }),
  model_calls: count(
    'PARLEY_MODEL_CALLS',
    1024,
    10_000,
    'Calls of these models that a node makes at once, at most three quarters of them for one project; further ones wait.',
  ),
  assistant_models: setting({
    variable: 'PARLEY_ASSISTANT_MODELS',
    type: names,
    default: MODELS,
    default_text: `the names of \`PARLEY_MODELS\`; without it ${MODELS.map((model) => `\`${model}\``).join(', ')}, in development with \`simulated\` before them`,
    meaning:
      'Models that assistants may use. The first is the default. With `PARLEY_MODELS` a selection of its names, beside those of the service of `PARLEY_ASSISTANTS_URL`.',
  }),
  assistants_url: setting<string | null>({
    variable: 'PARLEY_ASSISTANTS_URL',
    type: service,
    default: null,
    default_text: 'none: nothing is called',
    meaning: 'Service that runs the assistants. It has to confirm every change of an assistant or a block.',
  }),
  assistants_key: setting<string | null>({
    variable: 'PARLEY_ASSISTANTS_KEY',
    type: text,
    default: null,
    default_text: 'none',
    secret: true,
    meaning: 'Bearer key for this service.',
  }),
}
