/** The panel's rows about a visitor's browser, by the browser's own account. */
import type { Browser } from '../../records/project_records.ts'
import { addressText, browserText, languageText } from './browser_words.ts'
import { Row } from './fields.tsx'

export function BrowserRows({ browser: { page_url, referrer, user_agent, language } }: { browser: Browser }) {
  return [
    page_url && (
      <Row label="Page">
        <Address url={page_url} />
      </Row>
    ),
    referrer && (
      <Row label="Came from">
        <Address url={referrer} />
      </Row>
    ),
    user_agent && (
      <Row label="Browser">
        <span class="panel-text" title={user_agent}>
          {browserText(user_agent)}
        </span>
      </Row>
    ),
    language && (
      <Row label="Language">
        <span class="panel-text">{languageText(language)}</span>
      </Row>
    ),
  ]
}

function Address({ url }: { url: string }) {
  // A stranger has named it. The server takes no other schemes.
  if (!/^https?:/i.test(url)) return <span class="panel-text">{url}</span>
  return (
    <a class="panel-text panel-address" href={url} title={url} target="_blank" rel="noopener noreferrer nofollow">
      {addressText(url)}
    </a>
  )
}
