/** Keeps a fault of one part from taking the page along. */
import { Component, type ReactNode } from 'react';
import { Button, Notice } from '../../common/parts.js';

interface Props {
  readonly title: string;
  readonly again: string;
  /** What is shown after a fault, in the place of a word and a button that loads the page anew. */
  readonly instead?: ReactNode;
  readonly children: ReactNode;
}

export class Boundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    if (this.props.instead !== undefined) return this.props.instead;
    return (
      <>
        <Notice kind="wrong">{this.props.title}</Notice>
        <Button
          onClick={() => {
            // The files of the area may be those of a newer version now.
            location.reload();
          }}
        >
          {this.props.again}
        </Button>
      </>
    );
  }
}
