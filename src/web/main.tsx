import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root" for the console to live in');

// A link with another key pasted into an open page only changes the fragment, which loads nothing by itself.
window.addEventListener('hashchange', () => {
  if (new URLSearchParams(location.hash.slice(1)).has('key')) location.reload();
});

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
