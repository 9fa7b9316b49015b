export { OpenableGraph } from './graph.js';
