/** Components whose module is loaded when they are first drawn. */

import { signal } from '@preact/signals'
import type { ComponentChild, ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { Trouble } from './placeholders/trouble.tsx'

/**
 * Draws nothing until the module is there, or `Meanwhile` with the same properties. A module that cannot be loaded may belong to a release that has gone: then the
 * page is loaded again. Otherwise the agent does that: browsers remember modules that failed.
 *
 * @param load resolves to the component
 */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile?: (props: NoInfer<Props>) => ComponentChild,
) {
  const loaded = signal<{ View: ComponentType<Props> } | null>(null)
  let is_loading = false
  const begin = () => {
    if (is_loading) return
    is_loading = true
    load().then(
      (View) => {
        loaded.value = { View }
      },
      async (error) => {
        globalThis.console.error(error)
        if (await hasOtherRelease()) location.reload()
        else loaded.value = { View: Missing }
      },
    )
  }
  return (props: Props) => {
    useEffect(begin, [])
    const View = loaded.value?.View ?? Meanwhile
    return View && <View {...props} />
  }
}

export const out_of_reach = { message: 'The server could not be reached, or it has just been upgraded.' }

function Missing() {
  return <Trouble title="A part could not be loaded" error={out_of_reach} onRetry={() => location.reload()} />
}

/** True when the server has another release now, whose modules this page must not mix with its own. */
export async function hasOtherRelease() {
  try {
    const page = await (await fetch(new URL('console', document.baseURI), { cache: 'no-store' })).text()
    const release = document.querySelector('meta[name=release]')?.getAttribute('content')
    return page.includes('name="release"') && !page.includes(`content="${release}"`)
  } catch {
    return false
  }
}
