import type { Call } from './call.ts'

/** Shells have the secret in `TOKEN` or `OPERATOR_KEY`, as in the guides. */
export function curlSample({ method, url, secret, headers, json, form, answer }: Call): string {
  const parts = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(url)}`,
    ...(secret === undefined ? [] : [`-H "Authorization: Bearer $${secret.replace('PARLEY_', '')}"`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(form === undefined ? [] : ["-F 'file=@document.pdf'"]),
    ...Object.entries(form ?? {}).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`),
    ...(json === undefined ? [] : [`-d ${quoted(JSON.stringify(json, null, 2))}`]),
    ...(answer === 'file' ? ['-o file'] : []),
  ]
  return parts.join(' \\\n  ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
