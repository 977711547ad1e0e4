/** Emoji to choose from. Arrow keys move. */
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { useElement } from '../../ui/hooks.js'

/** Those that are used most in support, by kind. */
const EMOJI = [
  ['Smileys', '😀 😃 😄 😁 😅 😂 🙂 😉 😊 😍 😘 😎 🤗 🤔 🙄 😐 😕 🙁 😢 😭 😡 😱 😴 🤒'],
  ['Hands', '👍 👎 👌 👏 🙌 🙏 💪 👋 🤝 ✌️ 🤞 👉 👆 👇 ☝️ ✋'],
  ['Signs', '❤️ 💙 💚 💛 🧡 💔 ✨ 🔥 🎉 🎁 ⭐ ✅ ❌ ❗ ❓ ⚠️ 💯 ⏰ 📌 📍 📞 📧 💬 🔗'],
  ['Things', '📦 🚚 ✈️ 🏠 🏬 🛒 💳 💰 🧾 📄 📷 🎥 🔑 🔧 💻 📱 ☕ 🍕 🎂 🌟 ☀️ 🌧️ 🌈 🐶'],
]
const COLUMNS = 8

/**
 * @param {{ onChoose(emoji: string): void }} props
 */
export function Emoji({ onChoose }) {
  /** @type {import('preact').RefObject<HTMLElement>} */
  const grid = useElement()
  useEffect(() => grid.current.querySelector('button')?.focus(), [])
  /** @param {KeyboardEvent} event */
  const move = (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS }
    const step = steps[/** @type {keyof typeof steps} */ (event.key)]
    if (!step) return
    const buttons = [...grid.current.querySelectorAll('button')]
    const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement))
    event.preventDefault()
    buttons[at + step]?.focus()
  }
  return html`<div class="composer-emoji" ref=${grid} onKeyDown=${move}>
    ${EMOJI.map(
      ([name = '', list = '']) => html`<div role="group" aria-label=${name} key=${name}>
        <p class="faint" aria-hidden="true">${name}</p>
        ${list.split(' ').map((emoji) => html`<button type="button" tabindex="-1" onClick=${() => onChoose(emoji)} key=${emoji}>${emoji}</button>`)}
      </div>`,
    )}
  </div>`
}
