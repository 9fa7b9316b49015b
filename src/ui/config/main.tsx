/** The Configuration Interface in the browser (docs/interface/operations.md 1.6). */
import { createRoot } from 'react-dom/client';
import '../common/style.css';
import './config.css';
import { App } from './app.js';

const place = document.getElementById('app');
if (place !== null) createRoot(place).render(<App />);
