/** Tabs as links: each view has an address. */
import { number } from './format/format.ts'

export function Tabs({
  label,
  tabs,
}: {
  label: string
  tabs: { text: string; href: string; is_current: boolean; count?: number | undefined }[]
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ text, href, is_current, count }) => (
        <a href={href} aria-current={is_current ? 'true' : undefined} key={href}>
          {text} {count !== undefined && <span class="tab-count">{number(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
