/* Runs before the first paint, so that the page does not flash in the other colors. */
const theme = localStorage.getItem('docs_theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
