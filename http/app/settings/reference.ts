import type { Setting } from './setting.ts'
import { settings } from './settings.ts'

/** The settings as a Markdown table, for docs/configuration.md. */
export function configReference(): string {
  const rows = Object.values(settings as Record<string, Setting<unknown>>).map((declaration) => {
    const { variable, type, meaning, secret, production } = declaration
    const notes = [meaning, production && 'Required in production.', secret && 'Secret.'].filter(Boolean).join(' ')
    return `| \`${variable}\` | ${type.describe} | ${defaultText(declaration)} | ${notes} |`
  })
  return ['| variable | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n')
}

function defaultText({ default_text, default: value }: Setting<unknown>): string {
  if (default_text) return default_text
  const text = String(value)
  return text === '' ? 'none' : `\`${text}\``
}
