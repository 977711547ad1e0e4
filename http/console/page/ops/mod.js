/** The operators' part: one page for each subject, above all of them what needs attention. */
import { html } from 'htm/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { Empty } from '../ui/empty.js'
import { Tabs } from '../ui/tabs.js'
import { AuditPage } from './audit_page.js'
import { BacklogsPage } from './backlogs_page.js'
import { ChannelsPage } from './channels_page.js'
import { ClusterPage } from './cluster_page.js'
import { DeadLettersPage } from './dead_letters_page.js'
import { Overview } from './overview.js'
import { OPS_PAGES, opsPageOf, opsPlace } from './places.js'
import { TokensPage } from './tokens_page.js'
import { UsersPage } from './users_page.js'
import { WebhooksPage } from './webhooks_page.js'

/** @type {Record<string, (props: any) => unknown>} */
const VIEWS = {
  cluster: ClusterPage,
  backlogs: BacklogsPage,
  channels: ChannelsPage,
  webhooks: WebhooksPage,
  'dead-letters': DeadLettersPage,
  tokens: TokensPage,
  users: UsersPage,
  audit: AuditPage,
}

/** The backlog whose number a tab shows. @type {Partial<Record<string, string>>} */
const COUNTS = {
  channels: 'channels_unwell',
  webhooks: 'webhooks_disabled',
  'dead-letters': 'dead_letters',
  tokens: 'tokens_expiring',
}

/**
 * @param {import('../app/sections.js').PageProps} props
 */
function View({ console: core, place }) {
  const overview = useMemo(() => new Overview({ api: core.api }), [core])
  const found = opsPageOf(place)
  useEffect(() => {
    const follow = () => (document.hidden ? overview.stop() : overview.start())
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      overview.stop()
    }
  }, [overview])
  useEffect(() => {
    core.title.value = found ? `${found.name} · Operations` : 'Operations'
    scrollTo(0, 0)
  }, [core, found?.page])
  const reading = overview.reading.value
  const tabs = OPS_PAGES.map(({ page, name }) => {
    const counted = page === 'cluster' ? reading?.warnings.length : reading?.backlogs[COUNTS[page] ?? '']
    return { text: name, href: opsPlace(page), is_current: page === found?.page, count: counted || undefined }
  })
  const Page = VIEWS[found?.page ?? '']
  return html`<div class="page ops">
    <div class="page-head"><h1 tabindex="-1">${found?.name ?? 'Operations'}</h1></div>
    <div class="ops-tabs"><${Tabs} label="Operations" tabs=${tabs} /></div>
    ${
      Page
        ? html`<${Page} core=${core} api=${core.api} place=${place} overview=${overview} key=${found?.page} />`
        : html`<${Empty} title="There is nothing here" text="The address is wrong." />`
    }
  </div>`
}

export const page = { View }
