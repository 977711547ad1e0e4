import type { Call } from './call.ts'

export function typescriptSample({ method, url, secret, headers, json, form, answer }: Call): string {
  const lines: string[] = []
  if (form !== undefined) {
    lines.push("import { openAsBlob } from 'node:fs'", '', 'const form = new FormData()')
    lines.push("form.set('file', await openAsBlob('document.pdf'), 'document.pdf')")
    for (const [name, value] of Object.entries(form)) lines.push(`form.set(${text(name)}, ${text(value)})`)
    lines.push('')
  }
  const sent = [
    ...(secret === undefined ? [] : [`    Authorization: \`Bearer \${process.env.${secret}}\`,`]),
    ...Object.entries(headers).map(([name, value]) => `    ${text(name)}: ${text(value)},`),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${text(method)},`]),
    ...(sent.length === 0 ? [] : ['  headers: {', ...sent, '  },']),
    ...(form === undefined ? [] : ['  body: form,']),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${indented(JSON.stringify(json, null, 2))}),`]),
  ]
  if (options.length === 0) lines.push(`const response = await fetch(${text(url)})`)
  else lines.push(`const response = await fetch(${text(url)}, {`, ...options, '})')
  lines.push('if (!response.ok) throw new Error(await response.text())')
  if (answer === 'json') lines.push('console.log(await response.json())')
  if (answer === 'file') lines.push('console.log((await response.arrayBuffer()).byteLength)')
  return lines.join('\n')
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

function indented(json: string): string {
  return json.replaceAll('\n', '\n  ')
}
