/** What stands where broadcasts will be. */
import { Icon } from './icons.js'
import { html } from './preact.js'
import { Copyable } from './ui.js'

const COMMAND = 'parley broadcast send --csv people.csv --template order_update'

export function HowToSend() {
  const request = `curl ${location.origin}/v1/messages/bulk \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{
    "template_name": "order_update",
    "language": "en_US",
    "campaign_name": "Autumn sale",
    "recipients": [
      { "phone": "+5215512345678", "variables": { "1": "Ana", "2": "A-1001" } }
    ]
  }'`
  return html`<div class="card how">
    <span class="how-icon"><${Icon} name="broadcasts" /></span>
    <h2>No broadcasts yet</h2>
    <p>A broadcast sends one approved template to up to 5,000 people. As soon as one is sent, it appears here and moves as it goes.</p>
    <h3>From a CSV file</h3>
    <${Example} text=${COMMAND} label="the command" />
    <p class="faint">The file has a column <code>phone</code> and one for each variable of the template.</p>
    <h3>With the API</h3>
    <${Example} text=${request} label="the request" />
  </div>`
}

function Example({ text, label }) {
  return html`<div class="example">
    <${Copyable} text=${text} label=${label}><pre tabindex="0" aria-label=${label}>${text}</pre><//>
  </div>`
}
