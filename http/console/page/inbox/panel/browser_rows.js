/** The panel's rows about a visitor's browser, by the browser's own account. */
import { html } from 'htm/preact'
import { addressText, browserText, languageText } from './browser_words.js'
import { Row } from './fields.js'

/**
 * @param {{ browser: import('../../../page_types/project_records.ts').Browser }} props
 */
export function BrowserRows({ browser: { page_url, referrer, user_agent, language } }) {
  return [
    page_url && html`<${Row} label="Page"><${Address} url=${page_url} /><//>`,
    referrer && html`<${Row} label="Came from"><${Address} url=${referrer} /><//>`,
    user_agent &&
      html`<${Row} label="Browser"><span class="panel-text" title=${user_agent}>${browserText(user_agent)}</span><//>`,
    language && html`<${Row} label="Language"><span class="panel-text">${languageText(language)}</span><//>`,
  ]
}

/**
 * @param {{ url: string }} props
 */
function Address({ url }) {
  // A stranger has named it. The server takes no other schemes.
  if (!/^https?:/i.test(url)) return html`<span class="panel-text">${url}</span>`
  return html`<a class="panel-text panel-address" href=${url} title=${url} target="_blank" rel="noopener noreferrer nofollow">
    ${addressText(url)}
  </a>`
}
