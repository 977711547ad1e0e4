/**
 * Embeds the chat into the page with this script:
 *
 *   <script src="https://parley.example/widget.js" data-channel="{channel id}" async></script>
 *
 * This file draws the button and defines `parley`, the page's way to the chat (docs/channels/web.md). Everything else is
 * loaded when it is needed: the connection for visitors who have written before, the window when it is opened.
 */

import type { Chat } from './chat.ts'

import type { Words } from './words.ts'
;(() => {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement) || !script.src) return
  const base = new URL('.', script.src)
  const { channel, title, accent, position, greeting, avatar, language, theme, open, page } = script.dataset
  const channel_id = channel ?? location.pathname.split('/').at(-1) ?? ''
  const key = `parley ${base.origin}${base.pathname} ${channel_id}`
  const is_page = page !== undefined

  /** One file `words_….js` each. The first is for everyone else. */
  const LANGUAGES = ['en', 'es']
  const ICONS = {
    open: 'M4 5h16v11H9l-5 4z',
    close: 'M6 9l6 6 6-6',
  }
  const STYLE = `
    :host {
      all: initial;
      --accent: #1f5fd0;
      --on-accent: #fff;
      font: 15px / 1.45 system-ui, sans-serif;
    }
    .launcher {
      position: fixed;
      z-index: 2147483000;
      inset: auto 20px 20px auto;
      box-sizing: border-box;
      width: 56px;
      height: 56px;
      padding: 14px;
      border: 0;
      border-radius: 50%;
      background: var(--accent);
      color: var(--on-accent);
      cursor: pointer;
      box-shadow: 0 4px 14px rgb(0 0 0 / 30%);
    }
    .launcher.left { inset: auto auto 20px 20px; }
    .launcher:focus-visible { outline: 3px solid #000; box-shadow: 0 0 0 3px #fff; }
    .icon {
      display: block;
      width: 100%;
      fill: none;
      stroke: currentColor;
      stroke-width: 2;
      stroke-linecap: round;
      stroke-linejoin: round;
    }
    .badge {
      position: absolute;
      inset: -4px -4px auto auto;
      min-width: 22px;
      padding: 0 6px;
      box-sizing: border-box;
      border-radius: 11px;
      background: #c5221f;
      color: #fff;
      font: 600 13px / 22px system-ui, sans-serif;
      text-align: center;
    }
    .launcher[hidden], .badge[hidden] { display: none; }
    @media (max-width: 480px) { .launcher.opened { display: none; } }
    @media (prefers-reduced-motion: no-preference) {
      .launcher { transition: transform 120ms; }
      .launcher:hover { transform: scale(1.06); }
    }`

  const host = document.createElement('div')
  host.dataset.parley = channel_id
  host.dataset.theme = theme === 'light' || theme === 'dark' ? theme : 'auto'
  const root = host.attachShadow({ mode: 'open' })
  const style = new CSSStyleSheet()
  style.replaceSync(STYLE)
  root.adoptedStyleSheets = [style]
  if (accent && CSS.supports('color', accent)) {
    host.style.setProperty('--accent', accent)
    host.style.setProperty('--on-accent', readableOn(accent))
  }

  const launcher = document.createElement('button')
  launcher.type = 'button'
  launcher.className = position === 'left' ? 'launcher left' : 'launcher'
  launcher.hidden = is_page
  launcher.addEventListener('click', () => void run((chat) => chat.toggle()))
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  drawing.setAttribute('viewBox', '0 0 24 24')
  drawing.setAttribute('aria-hidden', 'true')
  drawing.setAttribute('class', 'icon')
  const path = document.createElementNS(drawing.namespaceURI, 'path')
  drawing.append(path)
  const badge = document.createElement('span')
  badge.className = 'badge'
  badge.setAttribute('aria-hidden', 'true')
  launcher.append(drawing, badge)

  let words: Words
  let last_unread: number | undefined
  /** Shows the state of the chat on the button, and tells the page of changes. */
  const show = (is_open: boolean, unread: number) => {
    path.setAttribute('d', ICONS[is_open ? 'close' : 'open'])
    launcher.classList.toggle('opened', is_open)
    launcher.setAttribute('aria-expanded', String(is_open))
    const counted = is_open ? 0 : unread
    badge.textContent = counted > 99 ? '99+' : String(counted)
    badge.hidden = counted === 0
    const name = is_open ? words.close : [words.open, counted > 0 && words.unread(counted)].filter(Boolean).join(', ')
    if (launcher.getAttribute('aria-label') !== name) launcher.setAttribute('aria-label', name)
    if (unread !== last_unread) tell('unread', unread)
    last_unread = unread
  }

  const file = (name: string) => import(new URL(`widget/files/${name}`, base).href)

  let loading: Promise<Chat> | undefined
  const load = () => {
    loading ??= file('chat.js').then(({ startChat }: typeof import('./chat.ts')) =>
      startChat({
        base,
        channel_id,
        key,
        root,
        launcher,
        words,
        show,
        tell,
        keep,
        title,
        greeting,
        avatar,
        position,
        is_page,
      }),
    )
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  const listeners: Map<string, Set<(value: unknown) => void>> = new Map()
  const tell = (name: string, value: unknown) => {
    for (const heard of listeners.get(name) ?? []) {
      try {
        heard(value)
      } catch (error) {
        reportError(error)
      }
    }
  }

  const keep = (is_open: boolean) => {
    try {
      sessionStorage.setItem(key, is_open ? 'open' : 'closed')
    } catch {
      // Without storage each page begins anew.
    }
  }
  const kept = () => {
    try {
      return sessionStorage.getItem(key)
    } catch {
      return null
    }
  }
  /** As the visitor left it on the page before; a phone's screen is not covered again. */
  const opensAtOnce = () => {
    const state = kept()
    return state === null ? open !== undefined : state === 'open' && !matchMedia('(max-width: 480px)').matches
  }

  const ready = begun()
  /** Work is done in order. What fails is tried again with the next call. */
  const run = async (work: (chat: Chat) => unknown): Promise<void> => {
    try {
      await ready
      await work(await load())
    } catch (error) {
      console.error('The chat could not be loaded.', error)
    }
  }

  const parley = {
    open: () => run((chat) => chat.toggle(true, false)),
    close: () => run((chat) => chat.toggle(false, false)),
    /** @param token Signed by the site's server. */
    identify: (token: string) => run((chat) => chat.identify(token)),
    logout: () => run((chat) => chat.logout()),
    on(name: string, heard: (value: unknown) => void) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(heard))
      return () => set.delete(heard)
    },
  }
  const page_of = window as unknown as { parley?: typeof parley }
  page_of.parley ??= parley
  document.dispatchEvent(new CustomEvent('parley:ready', { detail: parley }))

  async function begun() {
    if (!document.body) await new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }))
    const preferences = [language, is_page ? '' : document.documentElement.lang, ...navigator.languages]
    const known = preferences.map((one) => one?.slice(0, 2).toLowerCase()).find((one) => one && LANGUAGES.includes(one))
    words = (await file(`words_${known ?? LANGUAGES[0]}.js`)).words
    launcher.lang = words.language
    show(false, 0)
    root.append(launcher)
    document.body.append(host)
    // Returning visitors are connected at once, to get answers; others when they open the chat.
    // A page of its own is there to write in. A touch screen would cover it with its keyboard.
    if (is_page) void run((chat) => chat.toggle(true, matchMedia('(pointer: fine)').matches))
    else if (opensAtOnce()) void parley.open()
    else if (hasBeenHere()) void run(() => {})
  }

  function hasBeenHere() {
    try {
      return Object.keys(localStorage).some((name) => name.startsWith(`${key} `))
    } catch {
      return false
    }
  }

  /** Black or white, whichever can be read better on this color: one of them always has a contrast of 4.5 and more. */
  function readableOn(color: string) {
    const context = document.createElement('canvas').getContext('2d')
    if (!context) return '#fff'
    context.fillStyle = color
    context.fillRect(0, 0, 1, 1)
    const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
      const part = byte / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    // The luminance at which both have the same contrast.
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff'
  }
})()
