/** Behaviour of the documentation's pages beyond links: colors, copied code, tabs of samples, the search. */

import { openSearch } from './search.ts'

const COPIED_MS = 2_000
const LANGUAGE = 'docs_language'

offerThemes()
for (const block of document.querySelectorAll('.code')) offerToCopy(block)
for (const tabs of document.querySelectorAll('[data-tabs]')) makeTabs(tabs)
offerSearch()
// The menu shows where the reader is.
document.querySelector('#page-menu [aria-current]')?.scrollIntoView({ block: 'center' })

function offerThemes() {
  const button = document.getElementById('page-theme') as HTMLButtonElement
  const root = document.documentElement
  const isDark = () =>
    (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
  const show = () => button.setAttribute('aria-pressed', String(isDark()))
  button.hidden = false
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark'
    localStorage.setItem('docs_theme', root.dataset.theme)
    show()
  })
  show()
}

function offerToCopy(block: Element) {
  const code = block.querySelector('code')
  if (!code || !navigator.clipboard) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '')
    } catch {
      return // Not allowed here: the text can still be selected.
    }
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, COPIED_MS)
  })
  block.append(button)
}

/** The samples of an operation, one language at a time. The chosen language stays on the next page. */
function makeTabs(tabs: Element) {
  const panels = [...tabs.querySelectorAll('[data-sample]')] as HTMLElement[]
  if (panels.length < 2) return
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Language of the sample')
  const buttons = panels.map((panel, index) => {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = panel.dataset.sample ?? ''
    button.setAttribute('role', 'tab')
    button.id = `sample-tab-${index}`
    panel.id = `sample-${index}`
    button.setAttribute('aria-controls', panel.id)
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', button.id)
    panel.querySelector('h3')?.remove()
    list.append(button)
    return button
  })
  const show = (chosen: number) => {
    for (const [index, panel] of panels.entries()) {
      const is_shown = index === chosen
      panel.hidden = !is_shown
      buttons[index]?.setAttribute('aria-selected', String(is_shown))
      buttons[index]?.setAttribute('tabindex', is_shown ? '0' : '-1')
    }
  }
  const choose = (index: number) => {
    show(index)
    buttons[index]?.focus()
    localStorage.setItem(LANGUAGE, panels[index]?.dataset.sample ?? '')
  }
  for (const [index, button] of buttons.entries()) button.addEventListener('click', () => choose(index))
  list.addEventListener('keydown', ({ key }) => {
    const step = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const at = buttons.findIndex((button) => button.matches(':focus'))
    choose((at + step + buttons.length) % buttons.length)
  })
  tabs.prepend(list)
  show(
    Math.max(
      0,
      panels.findIndex(({ dataset }) => dataset.sample === localStorage.getItem(LANGUAGE)),
    ),
  )
}

function offerSearch() {
  const button = document.getElementById('page-search') as HTMLButtonElement
  button.hidden = false
  button.addEventListener('click', openSearch)
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, target } = event
    const is_typing = target instanceof HTMLElement && target.matches('input, textarea, select')
    const is_asked = (key === '/' && !is_typing) || (key === 'k' && (ctrlKey || metaKey))
    if (!is_asked) return
    event.preventDefault()
    openSearch()
  })
}
