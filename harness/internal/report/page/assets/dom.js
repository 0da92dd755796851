// Helpers for the document.

const one = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// make returns an element. Children that are no nodes become text, never markup.
function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== undefined && c !== null));
  return node;
}

function makeSVG(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// announce has screen readers say a text.
function announce(text) {
  one("#announcer").textContent = text;
}

// press marks the buttons of a group by a condition.
function press(buttons, isPressed) {
  for (const b of buttons) b.setAttribute("aria-pressed", String(Boolean(isPressed(b))));
}

const counted = (n, singular, plural) => `${n} ${n === 1 ? singular : plural}`;
