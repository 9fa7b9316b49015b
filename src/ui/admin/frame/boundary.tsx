/** Keeps a fault of one area from taking the page along. */
import { Component, type ReactNode } from 'react';
import { Button, Notice } from '../../common/parts.js';

interface Props {
  readonly title: string;
  readonly again: string;
  readonly children: ReactNode;
}

export class Boundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
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
