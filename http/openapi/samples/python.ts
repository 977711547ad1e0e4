import type { Call } from './call.ts'

/** Uses `requests`, the library that most programs in Python use. */
export function pythonSample({ method, url, secret, headers, json, form, answer }: Call): string {
  const lines = Object.entries(headers).filter(([name]) => json === undefined || name !== 'Content-Type')
  const sent = [
    ...(secret === undefined ? [] : [`        "Authorization": f"Bearer {os.environ['${secret}']}",`]),
    ...lines.map(([name, value]) => `        ${text(name)}: ${text(value)},`),
  ]
  return [
    ...(secret === undefined ? [] : ['import os', '']),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${text(url)},`,
    ...(sent.length === 0 ? [] : ['    headers={', ...sent, '    },']),
    ...(form === undefined ? [] : [`    data=${literal(form, 1)},`, '    files={"file": open("document.pdf", "rb")},']),
    ...(json === undefined ? [] : [`    json=${literal(json, 1)},`]),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    ...(answer === 'json' ? ['print(response.json())'] : []),
    ...(answer === 'file' ? ['print(len(response.content))'] : []),
  ].join('\n')
}

function text(value: string): string {
  return JSON.stringify(value)
}

/** A JSON value as Python writes it. */
function literal(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const [inside, end] = ['    '.repeat(depth + 1), '    '.repeat(depth)]
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[\n${value.map((item) => `${inside}${literal(item, depth + 1)},\n`).join('')}${end}]`
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return '{}'
  return `{\n${entries.map(([name, item]) => `${inside}${text(name)}: ${literal(item, depth + 1)},\n`).join('')}${end}}`
}
