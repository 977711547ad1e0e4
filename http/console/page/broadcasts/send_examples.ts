/** Commands that send a broadcast of the demo's template, for the directory of the clone. No DOM. */

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/**
 * On the machine of a development start the command line knows address and token, whatever name the browser uses for it.
 */
const isBesideUs = (origin: string) => LOOPBACK.includes(new URL(origin).hostname)

/** Sends to the people of a file. */
export function fileExample(origin: string) {
  const place = isBesideUs(origin) ? '' : `\\\n  --base-url ${origin} --token svc_pk_… `
  return `printf 'phone,1,2\\n+5215512345678,Ana,A-1001\\n' > people.csv
npx parley broadcast send ${place}--csv people.csv \\
  --template order_update --language en_US`
}

/** Sends with a request. */
export function requestExample(origin: string) {
  return `TOKEN=${isBesideUs(origin) ? '$(npx parley token create)' : 'svc_pk_…'}
curl ${origin}/v1/messages/bulk \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{
    "template_name": "order_update",
    "language": "en_US",
    "campaign_name": "Autumn sale",
    "recipients": [
      { "phone": "+5215512345678", "variables": { "1": "Ana", "2": "A-1001" } }
    ]
  }'`
}
