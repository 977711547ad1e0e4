/** Tells in the tab of the browser that people wait for an answer: the number in its title and a dot on its icon. */

import { useEffect } from 'preact/hooks'
import type { Console } from '../../core/console.ts'
import type { Project } from '../../data/project.ts'
import { Counts } from '../../inbox/counts.ts'

const DOTTED = 'icon_unread.svg'

export function Attention({ core, project }: { core: Console; project: Project }) {
  const { unread } = project.part('counts', () => new Counts(project))
  const count = unread.value
  useEffect(() => {
    core.unread.value = count
    showDot(count > 0)
    return () => {
      core.unread.value = 0
      showDot(false)
    }
  }, [core, count])
  return null
}

function showDot(is_shown: boolean) {
  const link = document.querySelector('link[rel=icon]') as HTMLLinkElement | null
  if (link) link.href = new URL(is_shown ? DOTTED : 'icon.svg', link.href).href
}
