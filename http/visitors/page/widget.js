/**
 * Embeds the chat into the page with this script:
 *
 *   <script src="https://parley.example/widget.js" data-channel="{channel id}" async></script>
 *
 * Also: `data-title` (instead of the channel's name), `data-accent` (a CSS color), `data-position="left"`,
 * `data-language` (`en`, `es`), `data-open` (opens at once), `data-page` (fills the page; the channel is the last part
 * of the page's path).
 */
;(() => {
  const script = document.currentScript
  if (!(script instanceof HTMLScriptElement) || !script.src) return
  const base = new URL('.', script.src)
  const { channel, title, accent, position, language, open, page } = script.dataset
  const channel_id = channel ?? location.pathname.split('/').at(-1) ?? ''
  /** @type {import('./app.js').Options} */
  const options = {
    base,
    channel_id,
    title,
    accent,
    position,
    language,
    open: open !== undefined,
    page: page !== undefined,
  }
  const begin = () =>
    import(new URL('widget/files/app.js', base).href)
      .then((/** @type {typeof import('./app.js')} */ { startChat }) => startChat(options))
      .catch((error) => console.error('The chat could not be loaded.', error))
  if (document.body) begin()
  else document.addEventListener('DOMContentLoaded', begin, { once: true })
})()
