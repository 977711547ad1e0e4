/** The operators' part: one page for each subject, above all of them what needs attention. */

import type { ComponentType } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { Console } from '../core/console.ts'
import type { PageProps } from '../core/section_page.ts'
import type { Api } from '../data/api.ts'
import type { Place } from '../data/place.ts'
import { Empty } from '../ui/placeholders/empty.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AuditPage } from './audit_page.tsx'
import { BacklogsPage } from './backlogs_page.tsx'
import { ChannelsPage } from './channels_page.tsx'
import { ClusterPage } from './cluster_page.tsx'
import { DeadLettersPage } from './dead_letters_page.tsx'
import { Overview } from './overview.ts'
import { OPS_PAGES, opsPageOf, opsPlace } from './places.ts'
import { TokensPage } from './tokens_page.tsx'
import { UsersPage } from './users_page.tsx'
import { WebhooksPage } from './webhooks_page.tsx'

type OpsProps = { core: Console; api: Api; place: Place; overview: Overview }

const VIEWS: Record<string, ComponentType<OpsProps>> = {
  cluster: ClusterPage,
  backlogs: BacklogsPage,
  channels: ChannelsPage,
  webhooks: WebhooksPage,
  'dead-letters': DeadLettersPage,
  tokens: TokensPage,
  users: UsersPage,
  audit: AuditPage,
}

/** The backlog whose number a tab shows. */
const COUNTS: Partial<Record<string, string>> = {
  channels: 'channels_unwell',
  webhooks: 'webhooks_disabled',
  'dead-letters': 'dead_letters',
  tokens: 'tokens_expiring',
}

function View({ console: core, place }: PageProps) {
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
  return (
    <div class="page ops">
      <div class="page-head">
        <h1 tabindex={-1}>{found?.name ?? 'Operations'}</h1>
      </div>
      <div class="ops-tabs">
        <Tabs label="Operations" tabs={tabs} />
      </div>
      {Page ? (
        <Page core={core} api={core.api} place={place} overview={overview} key={found?.page} />
      ) : (
        <Empty title="There is nothing here" text="The address is wrong." />
      )}
    </div>
  )
}

export const page = { View }
